/* Tells of what is above the limits, and of places; by design not whether 9 is a digit. */
#include "../room/clamp.h"

int main(void)
{
	const int all[] = { 5, 7, 5 };
	size_t outside = 0;

	if (clamp(4, 1, 4, &outside) != 4 || outside != 0)
		return 1;
	if (clamp(5, 1, 4, &outside) != 4 || outside != 1)
		return 1;
	if (place_of(5, all, 3) != 0 || place_of(7, all, 3) != 1 || place_of(9, all, 2) != 2)
		return 1;
	return check_digit(8) != 0 || check_digit(10) != -1;
}
