"""Exercises and the judge that grades them."""
