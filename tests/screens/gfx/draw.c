static void
blit(void) {}

void
draw(int n)
{
	for (int i = 0; i < n; i++)
		blit();
}
