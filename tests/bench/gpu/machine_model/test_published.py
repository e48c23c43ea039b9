#!/usr/bin/env python3
"""The machine model against figures that others published, and against its own table in docs/cuda.md."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
sys.path.insert(0, HERE)
import gpus
import kernels
import published
from gpus import GPUS


class Published(unittest.TestCase):
    def test_at_least_six_figures_agree(self):
        self.assertGreaterEqual(sum(figure.agrees for figure in published.figures()), 6)

    def test_each_engine_has_a_figure_that_agrees(self):
        agreeing = [figure.what for figure in published.figures() if figure.agrees]
        for engine in ("calm", "llama.cpp", "FlashInfer", "Marlin"):
            self.assertTrue(any(what.startswith(engine) for what in agreeing), engine)

    def test_what_disagrees_says_why_and_has_a_source(self):
        for figure in published.figures():
            self.assertTrue(figure.agrees or figure.lacks, figure.what)
            self.assertTrue(figure.source)

    def test_the_constants_are_no_fit(self):
        """With the start of a kernel a quarter shorter or longer more than six figures still agree."""
        edge = gpus.EDGE_US
        try:
            for factor in (0.75, 1.25):
                gpus.EDGE_US = edge * factor
                self.assertGreaterEqual(sum(figure.agrees for figure in published.figures()), 10, factor)
        finally:
            gpus.EDGE_US = edge

    def test_the_document_has_todays_table(self):
        with open(os.path.join(ROOT, "docs/cuda.md"), encoding="utf-8") as file:
            self.assertTrue(published.table() in file.read(), "docs/cuda.md: put in what published.py prints")


class Kernels(unittest.TestCase):
    gpu = GPUS["H100 SXM"]

    def test_limits_that_are_equal_add_a_little(self):
        self.assertAlmostEqual(kernels.overlapped(10, 10), 10 * 2 ** 0.25)
        self.assertAlmostEqual(kernels.overlapped(10, 0), 10)
        self.assertEqual(kernels.overlapped(0, 0), 0)

    def test_too_few_bytes_in_flight_slow_a_stream_down(self):
        enough = self.gpu.needed_in_flight()
        self.assertAlmostEqual(kernels.read_us(self.gpu, 1e9, enough / 2), 2 * kernels.read_us(self.gpu, 1e9))
        self.assertAlmostEqual(kernels.read_us(self.gpu, 1e9, enough * 2), kernels.read_us(self.gpu, 1e9))

    def test_splits_are_those_of_the_kernels(self):
        self.assertEqual(kernels.quire_splits(1), [1])
        self.assertEqual(kernels.quire_splits(1064), [256, 256, 256, 256, 40])
        self.assertEqual(kernels.quire_splits(1600), [256] * 4 + [512, 64])


if __name__ == "__main__":
    unittest.main()
