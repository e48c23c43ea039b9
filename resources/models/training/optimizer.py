"""AdamW with two learning rates: the tied embedding and the norms, which see sparse or tiny gradients, take larger steps."""

import torch


class Optimizer:
    """`step(rate)` clips, updates and clears; rate runs from 0 to 1 along the schedule."""

    def __init__(self, model, matrix_lr=0.0015, embedding_lr=0.003):
        self.parameters = list(model.parameters())
        matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
        others = [p for name, p in model.named_parameters() if p.dim() != 2 or "embed" in name]
        groups = [{"params": matrices, "peak": matrix_lr, "weight_decay": 0.05}, {"params": others, "peak": embedding_lr, "weight_decay": 0.0}]
        self.adam = torch.optim.AdamW(groups, lr=matrix_lr, betas=(0.9, 0.95), fused=True)

    def step(self, rate):
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        for group in self.adam.param_groups:
            group["lr"] = group["peak"] * rate
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)

    def state_dict(self):
        return self.adam.state_dict()

    def load_state_dict(self, state):
        self.adam.load_state_dict(state)
