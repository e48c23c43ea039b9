#!/usr/bin/env python3
"""What the machine model says of Quire's steps: against what the kernels launch, and against the tables of docs/cuda.md."""
import dataclasses
import json
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
sys.path.insert(0, HERE)
import predict
import quire_steps
import read_machine_code
from gpus import GPUS


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Steps(unittest.TestCase):
    def test_launches_are_those_that_the_harness_counts(self):
        counted = json.loads(read("tests/bench/gpu/machine_model/launches.json"))
        shape = predict.QUIRE_SHAPES["8b"]
        for expected in counted["steps"]:
            rows = expected["rows"]
            version, gpu = quire_steps.after(), GPUS["H100 SXM"]
            of_layer = len(quire_steps.layer(version, gpu, shape, "bf16", rows, 1, 64))
            launches = quire_steps.step(version, gpu, "8b", "bf16", chats=rows, context=64)
            self.assertEqual(of_layer, expected["a layer"] - expected.get("fused", 0), rows)
            self.assertEqual(len(launches) - shape.layers * of_layer, expected["beside layers"], rows)
            self.assertEqual(quire_steps.early(launches).count(False), expected["in order"], rows)

    def test_blocks_of_few_rows_are_those_that_shared_memory_allows(self):
        """14,336 inputs take 65 KB: of 100 KB there is one block, of 228 two (docs/cuda.md)."""
        self.assertEqual(quire_steps.few_rows_blocks(GPUS["RTX 4090"], 1, 4096, 14336, 1)[0], 1)
        self.assertEqual(quire_steps.few_rows_blocks(GPUS["H100 SXM"], 1, 4096, 14336, 1)[0], 2)
        # As tst_cuda_inputs has blocks_for_sets share them.
        self.assertEqual(quire_steps.few_rows_blocks(GPUS["H100 SXM"], 1, 384 * 16, 4096, 1)[:2], (1, 3))
        self.assertEqual(quire_steps.few_rows_blocks(GPUS["H100 SXM"], 1, 8016 * 16, 4096, 1)[:2], (2, 31))
        # Eight rows of them go through shared memory in rounds.
        self.assertGreater(quire_steps.few_rows_blocks(GPUS["H100 SXM"], 8, 4096, 14336, 1)[2], 1)

    def test_a_step_reads_the_weights_and_the_keys(self):
        for weight_format, size in (("bf16", 15.01e9), ("q4_k", 4.22e9)):
            launches = quire_steps.step(quire_steps.after(), GPUS["H100 SXM"], "8b", weight_format, context=1064)
            self.assertAlmostEqual(sum(x.bytes for x in launches) / (size + 139e6), 1, places=3)

    def test_beginning_early_shortens_steps_where_gpus_can(self):
        for name in predict.TABLE_GPUS:
            old, new = (quire_steps.step_us(quire_steps.step(version, GPUS[name], "8b", "q4_k", context=1064))
                        for version in (dataclasses.replace(quire_steps.after(), begins_early=False), quire_steps.after()))
            if name == "RTX 4090":
                self.assertEqual(new, old)
            else:
                # At most each launch's start and the first load of four products a layer and the head.
                self.assertLess(new, old)
                self.assertGreater(new, old - 326 * 1.3 - 129 * 0.65)

    def test_many_inputs_of_few_rows_are_rounded_once(self):
        """As tst_cuda_linear has choose_linear_shape choose on a GPU of 132 multiprocessors."""
        shape = lambda *task: quire_steps.few_rows_shape(quire_steps.after(), GPUS["H100 SXM"], *task)
        for task, most in (((1, 4096, 14336), 8), ((2, 4096, 14336), 16), ((5, 4096, 4096), 8), ((6, 4096, 4096), 16),
                           ((7, 2048, 8192), 8), ((8, 2048, 8192), 16)):
            self.assertEqual(shape(*task), most, task)
        rounds = dataclasses.replace(quire_steps.after(), rounding=frozenset())
        for name in predict.TABLE_GPUS:
            old, new = (quire_steps.step_us(quire_steps.step(version, GPUS[name], "8b", "q4_k", chats=8, context=1064))
                        for version in (dataclasses.replace(rounds, rounds_once=False), rounds))
            self.assertLess(new, 0.9 * old)

    def test_halves_take_no_kernel_of_their_own(self):
        """From nine rows on each product of a layer whose input is not written as halves has one more kernel."""
        after, gpu, shape = quire_steps.after(), GPUS["H100 SXM"], predict.QUIRE_SHAPES["8b"]
        for rows, more in ((1, 0), (16, 1), (512, 1)):
            number = lambda rounding: len(quire_steps.layer(dataclasses.replace(after, rounding=frozenset(rounding)), gpu, shape,
                                                            "bf16", rows, 1, 64))
            products = [name for name in shape.layer_products() if quire_steps.is_quantized(after, name)]
            # A GEMM of many rows stores only a GLU that the next one reads quantised.
            self.assertEqual(number([]) - number(after.rounding), more * len(products) + (rows > 64), rows)
        for name in predict.TABLE_GPUS:
            for how in ({"chats": 1}, {"chats": 8}, {"chats": 16}, {"prefill": 512}):
                old, new = (predict.step(version, GPUS[name], "8b", "bf16", **how)[0]
                            for version in (dataclasses.replace(after, rounding=frozenset()), after))
                self.assertLess(new, old)

    def test_int8_shortens_the_prefill_of_geforce_gpus(self):
        """And change nothing where halves are not slow, or weights are not quantised."""
        after = quire_steps.after()
        for name in predict.TABLE_GPUS:
            for weight_format in predict.WEIGHT_BYTES:
                old, new = (predict.step(version, GPUS[name], "8b", weight_format, prefill=512)[0]
                            for version in (dataclasses.replace(after, uses_int8_gemm=False), after))
                if name == "H100 SXM" or weight_format == "bf16":
                    self.assertEqual(new, old)
                else:
                    self.assertLess(new, 0.75 * old)

    def test_every_kernel_of_the_tables_is_counted(self):
        code = quire_steps.load_machine_code()
        for name in predict.TABLE_GPUS:
            of_gpu = code[GPUS[name].architecture]
            for weight_format in predict.WEIGHT_BYTES:
                for kernel in ("few_rows", "many_rows"):
                    for rows in (8, 16, 32) if kernel == "few_rows" else (64, 128):
                        found = of_gpu[f"{kernel} {quire_steps.code_name(quire_steps.after(), GPUS[name], weight_format)} {rows}"]
                        self.assertGreater(found["loop"], found["loop tensor"])
                        self.assertGreater(found["loop tensor"], 0)

    def test_kernels_are_found_by_their_readable_names(self):
        name = read_machine_code.model_name
        self.assertEqual(name("few_rows_kernel<HalvesFormat<(Half)1>, 2"), "few_rows bf16 16")
        self.assertEqual(name("few_rows_kernel<Q4KFormat, 1>"), "few_rows q4_k 8")
        self.assertEqual(name("many_rows_kernel<Q4KFormat,ManyRows<Q4KFormat,2,4,4>"), "many_rows q4_k 128")
        self.assertEqual(name("few_rows_kernel<Int8Gemm<Q8_0Format>,1"), "few_rows q8_0 int8 8")
        self.assertEqual(name("many_rows_kernel<Int8Gemm<Q4KFormat>,ManyRows<Int8Gemm<Q4KFormat>,2,2,4>"), "many_rows q4_k int8 64")
        self.assertEqual(name("few_rows_kernel<HalvesFormat<(Half)1>,8"), "few_rows bf16 64")
        self.assertEqual(name("many_rows_kernel<Q8_0Format, ManyRows<Q8_0Format, 4, 2, 8> "), "many_rows q8_0 128")
        self.assertIsNone(name("few_rows_kernel<HalvesFormat<(Half)0>, 2"))
        self.assertIsNone(name("rms_norm_kernel<true, false"))


class Predictions(unittest.TestCase):
    def test_the_benchmarks_names_are_predicted(self):
        """Of the targets those that are a model's own step."""
        names = re.findall(r'"(8b \w+ (?:decode|prefill)[^"]*)"', read("tests/bench/gpu/targets.cpp"))
        names = [name for name in names if "shared prefix" not in name and "launch gaps" not in name]
        self.assertTrue(names)
        found = predict.predictions(GPUS["H200"])
        for name in names:
            self.assertIn(name, found)

    def test_devices_are_known_by_what_drivers_call_them(self):
        for description, name in (("NVIDIA GeForce RTX 4090, 25.3 GB", "RTX 4090"), ("NVIDIA H200, 150 GB", "H200"),
                                  ("NVIDIA H20, 102 GB", "H20"), ("NVIDIA H100 80GB HBM3, 85 GB", "H100 SXM"),
                                  ("fast batches on NVIDIA GeForce RTX 5090, 34 GB", "RTX 5090")):
            self.assertEqual(predict.gpu_of(description).name, name)
        self.assertIsNone(predict.gpu_of("none"))

    def test_measured_figures_stand_next_to_predictions(self):
        gpu = GPUS["H200"]
        predicted = predict.predictions(gpu)["8b bf16 decode, 1 chat"]["ms a step"]
        figures = {"8b bf16 decode, 1 chat": {"ms a step": predicted * 1.1},
                   "8b q4_k decode, 1 chat": {"ms a step": 1e3}, "8b bf16 prefill 512": {"not run": "no memory"}}
        lines = predict.compare(figures, gpu)
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[1].endswith("1.10 ms a step"), lines[1])
        self.assertTrue(lines[-1].startswith("1 of 2 within 15%"), lines[-1])

    def test_the_documents_tables_are_todays(self):
        document = read("docs/cuda.md")
        for table in (predict.table_of_code(), predict.table_of_counts(), predict.table_of_steps(), predict.table_of_fill()):
            self.assertTrue(table in document, "docs/cuda.md: put in what predict.py prints")



if __name__ == "__main__":
    unittest.main()
