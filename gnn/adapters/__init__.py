"""Other learning libraries on polyloop's environments, with the same encoders."""
