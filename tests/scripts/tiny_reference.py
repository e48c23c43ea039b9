"""Tiny random transformers models and what they compute: shared by make_tiny_models.py and make_tiny_gguf.py."""

import contextlib
import copy

import torch
import transformers

import tiny_mxfp4
from tiny_configs import PROMPT_LENGTHS, split_options

GREEDY_TOKENS = 64
MIN_MARGIN = 2e-3
MIN_ROUTER_MARGIN = 1e-4
MIN_DIFFERENT_TOKENS = 12
MAX_ROUNDING = 1.5e-6
MAX_ROW_ROUNDING = 2.5e-6
VISION = {"MuseGlimmer": dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                              pos_emb_height=2, pos_emb_width=2),
          "Mistral3": dict(model_type="pixtral", hidden_size=16, intermediate_size=16, num_hidden_layers=1, head_dim=8,
                           num_attention_heads=2, image_size=28, patch_size=14),
          "Llama4Multimodal": dict(hidden_size=16, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
                                   image_size=28, vision_output_dim=64, projector_input_dim=64, projector_output_dim=64),
          "Gemma4": None}
LAST_NORMS = ("model.norm.weight", "model.final_layernorm.weight", "language_model.norm.weight", "gpt_neox.final_layer_norm.weight",
              "transformer.ln_f.weight", "model.embedding_norm.weight", "decoder.final_layer_norm.weight", "model.norm_f.weight")
PLAIN_NORMS = ("Gemma4", "Gemma3n")  # Whose weights are not stored minus 1.
NAMES = {"Gemma4": ("Gemma4Config", "Gemma4ForConditionalGeneration"),
         "Gemma4Text": ("Gemma4TextConfig", "Gemma4ForCausalLM"),
         "Gemma3nText": ("Gemma3nTextConfig", "Gemma3nForCausalLM"),
         "Qwen3_5": ("Qwen3_5TextConfig", "Qwen3_5ForCausalLM"),
         "Qwen3_5Moe": ("Qwen3_5MoeTextConfig", "Qwen3_5MoeForCausalLM"),
         "MuseGlimmer": ("MuseGlimmerConfig", "MuseGlimmerForConditionalGeneration"),
         "Llama4": ("Llama4TextConfig", "Llama4ForCausalLM"),
         "Llama4Multimodal": ("Llama4Config", "Llama4ForConditionalGeneration"),
         "Mistral3": ("Mistral3Config", "Mistral3ForConditionalGeneration"),
         "Gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM"), "GPT2": ("GPT2Config", "GPT2LMHeadModel")}
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def randomise(name, weight, family, varied):
    """Norms, biases, sinks and routers start at 0 or 1 or close to it; here each of them matters."""
    is_minus_one = family.startswith(("Gemma", "MuseGlimmer", "Qwen3_5", "Qwen3Next")) and "linear_attn.norm" not in name
    is_minus_one = is_minus_one and not family.startswith(PLAIN_NORMS)
    stored_one = 0.0 if is_minus_one else 1.0
    is_norm = "norm" in name or name.split(".")[-2].startswith("ln_")
    if is_norm and name.endswith("weight"):
        weight.copy_(stored_one + 0.2 * torch.randn_like(weight))
    if family.startswith(PLAIN_NORMS) and name.endswith(("q_norm.weight", "k_norm.weight")):
        weight.mul_(len(weight) ** -0.25)  # Nothing else scales the scores.
    if varied and name.endswith(LAST_NORMS):
        weight.copy_(stored_one - 1.0 + torch.randn_like(weight))
    if name.endswith("embed_positions.weight"):
        weight.copy_(0.4 * torch.randn_like(weight))
    if name.endswith("bias"):
        weight.copy_(0.3 * torch.randn_like(weight))
    if name.endswith("gate_up_proj_bias"):  # Some are wide, so that gpt-oss's clamp at 7 clamps.
        weight.copy_(0.5 * torch.randn_like(weight) * (1 + 9 * (torch.rand_like(weight) < 0.1)))
    if name.endswith("A_log"):
        weight.copy_(torch.log(0.2 + 3.0 * torch.rand_like(weight)))
    if name.endswith(".D"):
        weight.copy_(1.0 + 0.4 * torch.randn_like(weight))
    if name.endswith(("conv1d.weight", "conv.conv.weight")):
        weight.copy_(0.5 * torch.randn_like(weight))
    if name.endswith("sinks"):
        weight.copy_(1.0 + torch.randn_like(weight))
    if name.endswith(("act_fn.alpha_p", "act_fn.alpha_n")):
        weight.copy_(torch.randn_like(weight))
    if name.endswith("modality_router.weight"):  # Its inputs are divided by the hidden size.
        weight.copy_(3.0 * torch.randn_like(weight))
    if name.endswith(("prediction_coefs.weight", "correction_coefs.weight")):
        weight.copy_(0.3 * torch.randn_like(weight))
    if name.endswith(("router.scale", "per_expert_scale", "correct_output_scale")):
        weight.copy_(1.0 + 0.3 * torch.randn_like(weight))
    if name.endswith(("gate.weight", "gate.wg.weight", "router.weight", "shared_expert_gate.weight", "router.proj.weight")):
        weight.copy_(0.4 * torch.randn_like(weight))


def randomise_buffers(model):
    """Biases of choices, which are no parameters everywhere."""
    for name, buffer in [*model.named_buffers(), *model.named_parameters()]:
        if name.endswith(("e_score_correction_bias", "expert_bias")):
            buffer.copy_((0.3 * torch.randn_like(buffer)).bfloat16().float())
        if name.endswith("act_fn.beta"):
            buffer.copy_((0.3 + 0.4 * torch.rand_like(buffer)).bfloat16().float())
        if name.endswith("layer_scalar"):
            buffer.copy_((0.6 + 0.6 * torch.rand_like(buffer)).bfloat16().float())


def round_experts(weight):
    """An expert matrix of gpt-oss (E, in, out), rounded to what MXFP4 holds along `in`."""
    rows = weight.transpose(1, 2)
    return tiny_mxfp4.dequantise(*tiny_mxfp4.quantise(rows)).transpose(1, 2)


def make_config(family, name, options, text_name=None):
    """The text's options within a multimodal model's, where there is no class for the text alone."""
    if family in VISION:
        attention = options.pop("attn_implementation")
        text = getattr(transformers, text_name or name.replace("Config", "TextConfig"))(**options)
        return getattr(transformers, name)(text_config=text.to_dict(), vision_config=VISION[family],
                                           attn_implementation=attention, tie_word_embeddings=options["tie_word_embeddings"])
    return getattr(transformers, name)(**options)


@torch.no_grad()
def make_model(options, seed):
    """A random model whose weights are exactly those of its storage dtype, in float32."""
    own, config_options = split_options(options)
    family = own.get("family", "Llama")
    dtype = DTYPES[own.get("dtype", "f32")]
    config_name, model_name = NAMES.get(family, (f"{family}Config", f"{family}ForCausalLM"))
    torch.manual_seed(seed)
    model = getattr(transformers, model_name)(
        make_config(family, config_name, config_options, own.get("text"))).float().eval()
    assert model.config._attn_implementation == "eager"
    if hasattr(model, "set_experts_implementation") and "experts" in str(config_options):
        model.set_experts_implementation("eager")
    randomise_buffers(model)
    for name, weight in model.named_parameters():
        randomise(name, weight, family, own.get("varied"))
        if own.get("mxfp4") and name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            weight.copy_(round_experts(weight))
        weight.copy_(weight.to(dtype).float())
    if "end_tokens" in own:
        chosen = dict(eos_token_id=own["end_tokens"], do_sample=True, temperature=0.6, top_p=0.95, top_k=20)
        model.generation_config.update(**chosen)
    return model, dtype


class RouterMargin:
    """Watches routers: the smallest gap between the last expert that was chosen and the first that was not.

    In logits, and where sigmoids and a bias choose, in what they compare.
    """

    def __init__(self, model):
        self.smallest = self.smallest_choice = float("inf")
        for module in model.modules():
            if type(module).__name__.endswith(("Router", "MoEV1Gate")):
                module.register_forward_hook(self.see)

    def see(self, router, _, output):
        logits = output[1] if type(router).__name__ == "Llama4Router" else output[0]
        top_k = router.top_k if hasattr(router, "top_k") else router.config.top_k_experts
        best = logits.topk(top_k + 1).values
        self.smallest = min(self.smallest, (best[:, -2] - best[:, -1]).min().item())
        if hasattr(router, "e_score_correction_bias"):
            self.see_choice(router, output[0].sigmoid() + router.e_score_correction_bias)

    def see_choice(self, router, scores):
        groups, chosen = getattr(router, "num_group", 1), getattr(router, "topk_group", 1)
        if chosen < groups:
            of_groups = scores.view(len(scores), groups, -1)
            sums = of_groups.topk(2).values.sum(-1)
            best = sums.topk(chosen + 1)
            self.smallest_choice = min(self.smallest_choice, (best.values[:, -2] - best.values[:, -1]).min().item())
            is_chosen = torch.zeros_like(sums).scatter(1, best.indices[:, :chosen], 1.0)[..., None].bool()
            scores = of_groups.masked_fill(~is_chosen, -1e9).view(len(scores), -1)
        best = scores.topk(router.top_k + 1).values
        self.smallest_choice = min(self.smallest_choice, (best[:, -2] - best[:, -1]).min().item())


@torch.no_grad()
def greedy(model, prompt):
    """The greedy tokens, and the smallest gap between the two likeliest logits on the way."""
    ids, margin = prompt.clone(), float("inf")
    for _ in range(GREEDY_TOKENS):
        top = model(ids[None], use_cache=False).logits[0, -1].topk(2)
        margin = min(margin, (top.values[0] - top.values[1]).item())
        if margin <= MIN_MARGIN:
            break
        ids = torch.cat([ids, top.indices[:1]])
    return ids[len(prompt):], margin


def rotary_tensors(rotary):
    """The rotation's frequencies, of each kind of layer, and what cosines and sines are multiplied with."""
    if rotary is None:
        return {}
    names = [name for name, _ in rotary.named_buffers() if name.endswith("inv_freq") and "original" not in name]
    out = {name: getattr(rotary, name).clone() for name in names}
    for name in names:
        scaling = getattr(rotary, name.replace("inv_freq", "attention_scaling"))
        if scaling != 1.0:
            out[name.replace("inv_freq", "attention_factor")] = torch.tensor([scaling])
    return out


@torch.no_grad()
def serve_context(model, length):
    """Makes the rotation what it is for a sequence of `length`, for shorter ones too."""
    rotary = model.model.rotary_emb
    rotary(torch.zeros(1, 1, 1), torch.arange(length)[None])
    rotary.rope_type = "default"


def make_prompts(options, vocab_size, seed):
    generator = torch.Generator().manual_seed(seed)
    lengths = options.get("prompts", PROMPT_LENGTHS)
    return [torch.randint(3, vocab_size, (length,), generator=generator) for length in lengths]


def references(model, options, seed):
    """What the model computes; also the greedy run's margin and the routers' (infinite without experts)."""
    prompts = make_prompts(options, model.config.get_text_config().vocab_size, seed)
    router_margin = RouterMargin(model)
    untouched = logits_of(model, prompts[-1])
    if "served" in options:
        serve_context(model, options["served"])
        assert torch.equal(untouched, logits_of(model, prompts[-1])), "transformers picks another rotation"
    language_model = getattr(model.base_model, "language_model", model.base_model)
    if not hasattr(language_model, "rotary_emb"):
        language_model = getattr(language_model, "model", language_model)  # Llama 4's.
    out = rotary_tensors(getattr(language_model, "rotary_emb", getattr(language_model, "pos_emb", None)))
    for i, ids in enumerate(prompts):
        logits = exact_logits_of(model, ids).to(torch.float32) if options.get("exact") else logits_of(model, ids)
        out[f"prompt_{i}.tokens"], out[f"prompt_{i}.logits"] = ids.int(), logits
    is_clear = router_margin.smallest_choice > options.get("choice_margin", 0.0)
    start = prompts[min(1, len(prompts) - 1)]
    tokens, margin = greedy(model, start)
    out["greedy.prompt"], out["greedy.tokens"] = start.int(), tokens.int()
    if "served" in options:
        out["served_context"] = torch.tensor([options["served"]], dtype=torch.int32)
    return out, margin, router_margin.smallest if is_clear else 0.0


@torch.no_grad()
def logits_of(model, ids):
    return model(ids[None], use_cache=False).logits[0].contiguous()


@contextlib.contextmanager
def exact_arithmetic():
    """transformers converts to float32 in many places; here that is float64."""
    saved = torch.float32, torch.float, torch.Tensor.float
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float32, torch.float, torch.Tensor.float = saved


def exact_logits_of(model, ids):
    with exact_arithmetic():
        return logits_of(copy.deepcopy(model).double(), ids)


def rounding(model, reference):
    """How far float32 takes the longest prompt's logits from float64's, as a part of the largest."""
    last = max(key for key in reference if key.endswith(".logits"))
    ids = reference[last.replace(".logits", ".tokens")].long()
    exact = exact_logits_of(model, ids)
    return ((logits_of(model, ids) - exact).abs().max() / exact.abs().max()).item()


def row_rounding(model, reference):
    """The same of the worst row of any prompt, in the Euclidean norm, where the reference is exact."""
    errors = []
    for key in [key for key in reference if key.endswith(".logits")]:
        exact = reference[key]
        logits = logits_of(model, reference[key.replace(".logits", ".tokens")].long())
        errors.append(((logits - exact).norm(dim=1) / exact.norm(dim=1)).max().item())
    return max(errors)


def is_good(options, model, reference, margin, router_margin):
    if margin <= MIN_MARGIN or router_margin <= MIN_ROUTER_MARGIN:
        return False
    if not options.get("varied"):
        return True
    different = len(set(reference["greedy.tokens"].tolist()))
    if different < MIN_DIFFERENT_TOKENS:
        return False
    if options.get("exact"):
        return row_rounding(model, reference) < MAX_ROW_ROUNDING
    return rounding(model, reference) < MAX_ROUNDING


def find_unambiguous(name, options, make=make_model):
    """(seed, model, dtype, reference) of the first seed whose greedy run and routing leave no doubt."""
    for seed in range(400):
        model, dtype = make(options, seed)
        reference, margin, router_margin = references(model, options, seed)
        if is_good(options, model, reference, margin, router_margin):
            print(f"{name}: seed {seed}, smallest greedy margin {margin:.4f}, of routers {router_margin:.5f}")
            return seed, model, dtype, reference
    raise SystemExit(f"{name}: no seed gives an unambiguous greedy run")
