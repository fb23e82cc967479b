"""One module per idea of the course, on top of ``mini_llm``."""
