# Written by clients/generator from the published contract; do not edit it.
# In place of this file edit its namesake in _async/.
