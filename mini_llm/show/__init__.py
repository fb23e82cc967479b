"""Figures and widgets of the course."""
