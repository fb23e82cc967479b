"""Trusted wing: holds reference, seeds and expected values, and never touches a learner's object."""
