enum { WIDTH = 512, HEIGHT = 384 };
extern float image[HEIGHT][WIDTH], blurred[HEIGHT][WIDTH];
void blur(void);
