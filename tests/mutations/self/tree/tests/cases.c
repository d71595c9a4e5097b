/* cases V LOW HIGH: what clamp makes of it, and whether it is a digit. */
#include "../room/clamp.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t outside = 0;
	int v;

	if (argc != 4)
		return 2;
	v = clamp(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), &outside);
	printf("%d %zu %d\n", v, outside, check_digit(atoi(argv[1])));
	return 0;
}
