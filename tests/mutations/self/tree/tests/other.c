/* Does not have the room in it: of no use to find what is wrong there. */
int main(void)
{
	return 1;
}
