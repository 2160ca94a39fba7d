"""The backend's two programs, loop nests and vector programs, and what they mean."""
