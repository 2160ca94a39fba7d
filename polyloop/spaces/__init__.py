"""PolyGym's spaces: what Farkas' lemma asks of a schedule, and the processes that construct and explore."""
