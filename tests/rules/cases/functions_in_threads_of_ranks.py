import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import torch
import torch.distributed as dist


class Pipeline:
    def run(self):
        for _ in range(3):
            dist.barrier()

    def __call__(self):
        self.run()


def serve(pipeline):
    pipeline.run()


def log(text):
    print(text)


def started_on_rank_zero():
    """All ranks run the pipeline, rank 0 beside something else."""
    pipeline = Pipeline()
    if dist.get_rank() == 0:
        worker = threading.Thread(target=pipeline)
        worker.start()
        worker.join()
    else:
        pipeline()


def bound_method():
    pipeline = Pipeline()
    if dist.get_rank() == 0:
        threading.Thread(target=pipeline.run).start()
    else:
        pipeline.run()


def partial_in_a_pool():
    pipeline = Pipeline()
    if dist.get_rank() == 0:
        with ThreadPoolExecutor() as pool:
            pool.submit(partial(serve, pipeline))
    else:
        serve(pipeline)


def after_an_early_exit():
    pipeline = Pipeline()
    if dist.get_rank() != 0:
        pipeline.run()
        return
    threading.Thread(target=pipeline.run).start()


def function_without_collectives():
    pipeline = Pipeline()
    if dist.get_rank() == 0:
        threading.Thread(target=log, args=("first",)).start()
    else:
        pipeline.run()  # expect: TL803


def on_all_ranks(x):
    threading.Thread(target=Pipeline().run).start()
    if dist.get_rank() == 0:
        dist.all_reduce(x)  # expect: TL801
