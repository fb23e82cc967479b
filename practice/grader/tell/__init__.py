"""Results become words: a terminal page or JSON, in English or Chinese."""
