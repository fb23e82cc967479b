PYTHON ?= python3
RUN = @$(PYTHON) tools/bootstrap.py
.DEFAULT_GOAL := help
.PHONY: help lab test notebooks experiments assignments bench soak clean

help:
	$(RUN)

lab:
	$(RUN) lab $(LAB_ARGS)

test:
	$(RUN) test $(TEST_ARGS)

notebooks:
	$(RUN) notebooks

experiments:
	$(RUN) experiments $(EXPERIMENTS)

assignments:
	$(RUN) assignments $(if $(findstring command,$(origin LANGUAGE)),--lang $(LANGUAGE)) $(COURSE)

bench:
	$(RUN) bench $(strip $(addprefix --device ,$(DEVICE)) $(BENCH_ARGS))

soak:
	$(RUN) soak $(SOAK_ARGS)

clean:
	$(RUN) clean
