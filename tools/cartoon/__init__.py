"""Six-panel comics as SVG: a strip's text file in, one self-contained drawing for each language out."""
