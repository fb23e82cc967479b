PYTHON ?= python3
RUN = @$(PYTHON) tools/bootstrap.py
.DEFAULT_GOAL := help
.PHONY: help lab test notebooks clean

help:
	$(RUN)

lab:
	$(RUN) lab $(LAB_ARGS)

test:
	$(RUN) test $(TEST_ARGS)

notebooks:
	$(RUN) notebooks

clean:
	$(RUN) clean
