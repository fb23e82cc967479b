"""en: Sets one block aside, as vLLM does for its placeholder; here every block of the budget may be used.
zh: 像 vLLM 那样留出一块作占位；这里预算中的每一块都可以用。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return max(0, blocks - 1) // -(-seq_len // block_size)
