"""Height and width that are exchanged are the same in square images; channels and samples are not."""


def along_columns(images):
    b, c, h, w = images.shape
    columns = images.transpose(-1, -2)
    return columns.reshape(b * c * h, w)  # expect: TL104 (info)


def shuffled(images, factor):
    """The columns become rows, whatever the sizes are."""
    b, fc, h, w = images.shape
    parts = images.view(b, factor, fc // factor, h, w).permute(0, 2, 4, 1, 3).contiguous()
    return parts.view(b, fc // factor, h * factor, w)  # expect: TL104


def never_transposed(images):
    b, c, h, w = images.shape
    return images.view(b, c, w, h)  # expect: TL104


def channels_last(images):
    b, c, h, w = images.shape
    return images.permute(0, 2, 3, 1).reshape(b, c, h, w)  # expect: TL104


def steps(signals):
    b, c, n = signals.shape
    return signals.transpose(1, 2).reshape(b, c, n)  # expect: TL104
