#!/usr/bin/python3
"""A first real model: 8x8 scans of handwritten digits in, ten scores out.

`train DIR` fits a small convolutional network to the UCI digits that Debian's
scikit-learn carries and leaves DIR/digits.onnx (named batch axis), one scan the
network has never seen, all such scans, and their labels. `show DIR` draws that
scan; `check DIR` counts how many answers of the compiled model are right.
"""
import sys
import warnings

import numpy as np

HELD_OUT = 360


def load():
    from sklearn.datasets import load_digits
    data = load_digits()
    images = (data.images / 16.0).astype(np.float32)[:, None]
    return images, data.target


def train(folder):
    import os
    import torch
    from torch import nn
    warnings.filterwarnings("ignore")
    torch.manual_seed(1)
    images, labels = load()
    seen = len(images) - HELD_OUT
    x = torch.from_numpy(images[:seen])
    y = torch.from_numpy(labels[:seen])
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    for epoch in range(15):
        order = torch.randperm(seen)
        for batch in order.split(64):
            loss = nn.functional.cross_entropy(net(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    net.eval()
    model = nn.Sequential(net, nn.Softmax(1))
    os.makedirs(folder, exist_ok=True)
    np.save(f"{folder}/heldout.npy", images[seen:])
    np.save(f"{folder}/labels.npy", labels[seen:])
    np.save(f"{folder}/image.npy", images[seen:seen + 1])
    partial = f"{folder}/digits.onnx.part"
    torch.onnx.export(model, x[:1], partial, opset_version=16,
                      input_names=["image"], output_names=["digit"],
                      dynamic_axes={"image": {0: "batch"},
                                    "digit": {0: "batch"}})
    os.replace(partial, f"{folder}/digits.onnx")


def show(folder):
    image = np.load(f"{folder}/image.npy")[0, 0]
    label = np.load(f"{folder}/labels.npy")[0]
    print(f"A scan the network has not seen (a person wrote a {label}):")
    for row in image:
        print("  " + "".join(" .:-=+*#%@"[int(v * 9.99 / 1.001)] * 2
                             for v in row))


def check(folder):
    answers = np.load(f"{folder}/answers.npz")["digit"].argmax(1)
    labels = np.load(f"{folder}/labels.npy")
    right = int((answers == labels).sum())
    print(f"prediction: {answers[0]}, written: {labels[0]}; of all "
          f"{len(labels)} unseen scans {right} are read right")
    if right < 0.9 * len(labels):
        sys.exit("digits.py: error: the compiled model reads too few digits")


if __name__ == "__main__":
    {"train": train, "show": show, "check": check}[sys.argv[1]](sys.argv[2])
