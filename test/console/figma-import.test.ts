/// <reference lib="dom" />
/** Tests that a frame of a Figma design is inserted into a composition by hand. */
import t from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { node, openFigma, solid, text } from "../spec/figma-double.ts";
import { look, openConsole, signIn } from "./console-page.ts";

const film = `<!doctype html><html><body style="margin:0">
<div id="root" data-composition-id="main" data-width="640" data-height="360" data-duration="10"
data-fps="30" style="position:relative;width:640px;height:360px;background:#123"></div>
</body></html>`;

const frame = node("FRAME", "1:2", [1_000, 500, 640, 360], {
  name: "Title",
  fills: [solid(0, 0, 1)],
  children: [
    node("STAR", "1:5", [1_120, 540, 50, 50]),
    text("1:6", [1_020, 620, 300, 72], "Kites", { style: { fontSize: 60, lineHeightPx: 72 } }),
  ],
});

t.test("a frame of a design is inserted in the studio, and seen in its preview", async (t) => {
  const figma = await openFigma(t, frame);
  const shown = await openConsole(t, { KLIEG_FIGMA_URL: figma.url });
  const { page, origin, complaints } = shown;
  const klieg = new Klieg({ url: origin, token: firstToken });
  const { id } = await klieg.compositions.create({ name: "The kites" });
  await klieg.compositions.putFile(id, "index.html", new Blob([film]));
  await signIn(shown);
  await page.goto(`${origin}/console/compositions/${id}`);
  await page.locator("iframe.front[data-ready=true]").waitFor();

  await page.getByRole("button", { name: "Import from Figma" }).click();
  await look(t, page, "figma-import");
  await page.getByLabel("Link to a frame").fill("https://www.figma.com/design/AbC123/?node-id=9-9");
  await page.getByLabel("Access token").fill("figd_of-somebody");
  await page.getByRole("button", { name: "Insert the frame" }).click();
  await page.getByText("The file has no such node.").waitFor();
  complaints.length = 0;

  await page.getByLabel("Link to a frame").fill("https://www.figma.com/design/AbC123/?node-id=1-2");
  await page.getByRole("button", { name: "Insert the frame" }).click();
  await page.getByText('2 layers of "Title" inserted').waitFor();
  await page.locator("button.clip", { hasText: "Kites" }).waitFor();
  const preview = page.frameLocator("iframe.front[data-ready=true]");
  await preview.getByText("Kites").waitFor();
  await look(t, page, "figma-imported");
  t.strictSame(complaints, []);
});
