"""SamplingParams: vLLM's defaults, and errors that name what is wrong or not supported."""

import json
import unittest

from quire import (GuidedDecodingParams, InvalidRequestError, QuireError, RequestOutputKind,
                   SamplingParams, StructuredOutputsParams)
from quire.messages import parse_chat


class SamplingParamsTest(unittest.TestCase):
    def test_defaults_are_vllms(self) -> None:
        params = SamplingParams()
        self.assertEqual(
            (params.n, params.temperature, params.top_p, params.top_k, params.min_p),
            (1, 1.0, 1.0, 0, 0.0))
        self.assertEqual((params.max_tokens, params.seed, params.stop, params.logprobs),
                         (16, None, None, None))
        self.assertEqual(params.output_kind, RequestOutputKind.CUMULATIVE)

    def test_supported_values_reach_the_engine(self) -> None:
        params = SamplingParams(temperature=0.5, top_k=-1, top_p=0.9, min_p=0.1, stop="x",
                                stop_token_ids=[7], max_tokens=None, logprobs=3, ignore_eos=True,
                                presence_penalty=0.5, frequency_penalty=0.25, min_tokens=4,
                                repetition_penalty=1.5)
        engine = params.to_engine(seed=5)
        self.assertEqual((engine.temperature, engine.top_k, engine.seed), (0.5, 0, 5))
        self.assertEqual((engine.stop, engine.stop_token_ids), (["x"], [7]))
        self.assertEqual((engine.max_tokens, engine.num_logprobs), (2**31 - 1, 3))
        self.assertEqual((engine.presence_penalty, engine.frequency_penalty,
                          engine.repetition_penalty), (0.5, 0.25, 1.5))
        self.assertTrue(engine.ignore_eos)
        self.assertEqual(engine.min_tokens, 4)
        self.assertAlmostEqual(engine.top_p, 0.9, places=6)
        self.assertAlmostEqual(engine.min_p, 0.1, places=6)

    def test_negative_seed_is_a_seed(self) -> None:
        self.assertEqual(SamplingParams().to_engine(seed=-1).seed, 2**64 - 1)

    def test_wrong_values_are_errors_that_name_them(self) -> None:
        for name, value in [
                ("temperature", -1), ("temperature", float("nan")), ("temperature", "hot"),
                ("temperature", True), ("top_p", 0), ("top_p", 1.5), ("top_k", -2),
                ("top_k", 0.5), ("min_p", 2), ("max_tokens", 0), ("max_tokens", 2**40),
                ("n", 0), ("n", "1"), ("n", 129), ("best_of", 0), ("min_tokens", -1),
                ("min_tokens", 17), ("min_tokens", 1.5), ("logprobs", -1), ("logprobs", 101),
                ("repetition_penalty", 0), ("presence_penalty", float("inf")),
                ("seed", 2**64), ("seed", 1.5), ("stop", [""]), ("stop", [3]), ("stop", ["\udc00"]),
                ("stop_token_ids", [-1]), ("stop_token_ids", "12"), ("stop_token_ids", 3),
                ("logit_bias", [1]), ("logit_bias", {-1: 1.0}), ("logit_bias", {"x": 1.0}),
                ("logit_bias", {1: 1000.0}), ("truncate_prompt_tokens", 0)]:
            with self.subTest(name=name, value=value):
                with self.assertRaises(ValueError) as caught:
                    SamplingParams(**{name: value})
                self.assertIsInstance(caught.exception, QuireError)
                self.assertIn(name, str(caught.exception))

    def test_numbers_without_a_text(self) -> None:
        """Python writes and reads no numbers of more than 4,300 digits."""
        huge = 10**5000
        for name, value in [
                ("n", huge), ("temperature", huge), ("seed", -huge), ("stop_token_ids", [huge]),
                ("logit_bias", {huge: 1}), ("logit_bias", {1: huge}),
                ("logit_bias", {"9" * 5000: 1}), ("logprob_token_ids", [huge]),
                ("truncate_prompt_tokens", huge), ("stop_token_ids", huge)]:
            with self.subTest(name=name):
                with self.assertRaises(QuireError) as caught:
                    SamplingParams(**{name: value})
                self.assertIn(name, str(caught.exception))
                self.assertLess(len(str(caught.exception)), 300)
        with self.assertRaisesRegex(QuireError, "content must be a string .* too long to be shown"):
            parse_chat([{"role": "user", "content": huge}])
        with self.assertRaisesRegex(QuireError, r"must be a dictionary, not 'x{79}\.\.\.\.$"):
            parse_chat(["x" * 5000])

    def test_unsupported_values_are_errors_that_name_them(self) -> None:
        for name, value in [
                ("prompt_logprobs", 1), ("bad_words", ["x"]),
                ("allowed_token_ids", [1]), ("logits_processors", [print]),
                ("extra_args", {"a": 1}),
                ("spaces_between_special_tokens", False), ("use_beam_search", True),
                ("length_penalty", 0.5), ("flat_logprobs", True), ("logprob_token_ids", [1]),
                ("thinking_token_budget", 9), ("repetition_detection", {}),
                ("stream_interval", 4)]:
            with self.subTest(name=name):
                with self.assertRaises(InvalidRequestError) as caught:
                    SamplingParams(**{name: value})
                self.assertIn(name, str(caught.exception))
                self.assertEqual(caught.exception.code, "unsupported")

    def test_formats_of_answers(self) -> None:
        schema = {"type": "integer"}
        for kind in (StructuredOutputsParams, GuidedDecodingParams):
            name = "structured_outputs" if kind is StructuredOutputsParams else "guided_decoding"
            for fields, expected in [({"json": schema}, json.dumps(schema)), ({"json": "true"}, "true"),
                                     ({"json_object": True}, "")]:
                form = SamplingParams(**{name: kind(**fields)}).answer_form()
                self.assertEqual((form.schema, form.choices), (expected, None))
            form = SamplingParams(**{name: kind(choice=("yes", "no"))}).answer_form()
            self.assertEqual((form.schema, form.choices), (None, ["yes", "no"]))
            for fields, why in [
                    ({}, "needs one of json .* and choice .*; it has none of them"),
                    ({"json": schema, "json_object": True}, "it has json and json_object"),
                    ({"json": schema, "choice": ["a"]}, "it has json and choice"),
                    ({"choice": []}, "at least one"), ({"choice": "ab"}, "a list"),
                    ({"choice": ["a", ""]}, "not empty"), ({"choice": ["a", 1]}, "not 1"),
                    ({"choice": ["\ud800"]}, "not Unicode"), ({"regex": "a+"}, "regex"),
                    ({"grammar": "x"}, "grammar"), ({"structural_tag": "x"}, "structural_tag"),
                    ({"json": " "}, "empty"), ({"json": 3}, "json must be"),
                    ({"json": {"a": object()}}, "cannot be written"),
                    ({"json": schema, "disable_any_whitespace": True}, "disable_any_whitespace")]:
                with self.subTest(kind=kind.__name__, fields=str(fields)):
                    with self.assertRaisesRegex(InvalidRequestError, why):
                        SamplingParams(**{name: kind(**fields)})
        with self.assertRaisesRegex(InvalidRequestError, "structured_outputs must be"):
            SamplingParams(structured_outputs={"json": schema})
        form = SamplingParams().answer_form()
        self.assertEqual((form.schema, form.choices), (None, None))

    def test_unknown_argument_is_a_type_error(self) -> None:
        with self.assertRaises(TypeError):
            SamplingParams(use_beem_search=True)

    def test_fields_that_contradict_each_other(self) -> None:
        with self.assertRaisesRegex(ValueError, "best_of is 1; it must be at least n, 2"):
            SamplingParams(n=2, best_of=1)
        with self.assertRaisesRegex(ValueError, "stop needs detokenize"):
            SamplingParams(detokenize=False, stop="x")

    def test_field_that_was_set_later_is_checked(self) -> None:
        params = SamplingParams()
        params.top_p = 7
        with self.assertRaisesRegex(ValueError, "top_p"):
            params.to_engine(seed=0)

    def test_from_optional_takes_none_for_the_default(self) -> None:
        params = SamplingParams.from_optional(temperature=None, n=None, top_p=0.5, max_tokens=None)
        self.assertEqual((params.temperature, params.n, params.top_p, params.max_tokens),
                         (1.0, 1, 0.5, None))

    def test_clone_is_independent(self) -> None:
        params = SamplingParams(stop=["a"])
        cloned = params.clone()
        cloned.stop.append("b")
        self.assertEqual(params.stop, ["a"])


if __name__ == "__main__":
    unittest.main()
