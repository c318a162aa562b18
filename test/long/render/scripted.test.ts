/** What scripts of compositions do with videos and canvases. */
import t from "tap";
import { composition, isNear, openFilmBench } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t);
const colors = ["red", "lime"].map((color) => `color=${color}:s=64x36:d=0.5:r=30`);
const video = await bench.store("v.mp4", "video/mp4", [
  ...colors.flatMap((source) => ["-f", "lavfi", "-i", source]),
  ...["-filter_complex", "[0][1]concat=n=2[v]", "-map", "[v]"],
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p"],
]);
const hidden = `<video id="v" src="v.mp4" muted data-start="0" data-duration="1"
  style="position:absolute;left:300px;top:170px;width:16px"></video>
  <canvas id="c" width="64" height="36" style="position:absolute;left:0;top:0"></canvas>`;
const red = [255, 0, 0] as const;
const lime = [0, 255, 0] as const;

const draw2d = `const pen = c.getContext("2d");
  const draw = () => { if (v.readyState > 1) pen.drawImage(v, 0, 0, 64, 36); };`;
const drawGl = `const gl = c.getContext("webgl", { preserveDrawingBuffer: true });
  const shader = (type, text) => {
    const one = gl.createShader(type);
    gl.shaderSource(one, text); gl.compileShader(one); return one; };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER,
    "attribute vec2 p; varying vec2 at; void main(){at=p/2.+.5;gl_Position=vec4(p,0,1);}"));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, "precision mediump float; varying vec2 at;" +
    "uniform sampler2D s; void main(){gl_FragColor=texture2D(s,at);}"));
  gl.linkProgram(program); gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1,-1,3,-1,-1,3]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0); gl.bindAttribLocation(program, 0, "p");
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  for (const name of ["MIN_FILTER", "MAG_FILTER"])
    gl.texParameteri(gl.TEXTURE_2D, gl["TEXTURE_" + name], gl.LINEAR);
  for (const name of ["WRAP_S", "WRAP_T"])
    gl.texParameteri(gl.TEXTURE_2D, gl["TEXTURE_" + name], gl.CLAMP_TO_EDGE);
  const draw = () => { gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, v);
    gl.drawArrays(gl.TRIANGLES, 0, 3); };`;
const everyFrame = "const loop = () => { draw(); requestAnimationFrame(loop); }; loop();";
const whenSought = "window.__hf = { duration: 1, seek: draw };";

t.test("canvases and textures that are drawn from a video are filmed", async (t) => {
  for (const how of [draw2d, drawGl])
    for (const when of [everyFrame, whenSought]) {
      const script = `<script>{ const c = document.getElementById("c");
        const v = document.getElementById("v"); ${how} ${when} }</script>`;
      const film = await bench.film({ ...composition(hidden + script), "v.mp4": video });
      t.strictSame(film.warnings, []);
      for (const [frame, wanted] of [
        [0, red],
        [14, red],
        [15, lime],
        [29, lime],
      ] as const) {
        const [pixel] = await film.pixels(frame, [32, 18]);
        t.ok(isNear(pixel, wanted, 16), `${frame}: ${pixel} is ${wanted}`);
      }
    }
});

t.test("a still shows what a script draws from a video", async (t) => {
  const script = `<script>{ const c = document.getElementById("c");
    const v = document.getElementById("v"); ${draw2d} ${whenSought} }</script>`;
  const [pixel] = await bench.colorsAt(
    { ...composition(hidden + script), "v.mp4": video },
    20,
    [32, 18],
  );
  t.ok(isNear(pixel, lime, 16), `${pixel}`);
});

t.test("what scripts make and no film shows is named", async (t) => {
  const script = `<canvas id="c"></canvas><script>
    const made = document.createElement("video");
    made.src = "v.mp4";
    document.getElementById("c").transferControlToOffscreen();
    </script><i data-requires-webgpu></i>`;
  const film = await bench.film({ ...composition(script), "v.mp4": video });
  t.match(film.warnings, [
    /i data-requires-webgpu is left out: WebGPU/,
    /^a script created a video of v.mp4; only videos in the markup play/,
    /^a script gave a canvas to a worker/,
  ]);
});
