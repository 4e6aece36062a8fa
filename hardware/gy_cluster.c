#include "gy_cluster.h"
