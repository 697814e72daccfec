# changes how warnings are shown
import warnings

warnings.simplefilter('error')
