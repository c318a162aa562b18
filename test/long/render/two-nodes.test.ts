import t from "tap";
import { composition, openFilmBench } from "../../render-farm/film-bench.ts";
import { compareFilms, mover, openFarm, shareFilm } from "../../render-farm/two-node-film.ts";

const bench = await openFilmBench(t, 1);

t.test("a film that two nodes make has the bytes of one node's film", (t) =>
  compareFilms(t, bench, "self-captured", mover),
);

t.test("a film that is soon done is not split", async (t) => {
  const { lead, run } = openFarm(bench);
  const said: string[] = [];
  lead.onSaid(({ kind }) => said.push(kind));
  const { ending } = await run(
    await bench.readInput(composition(mover, 'data-duration="4"', [96, 54])),
  );
  t.match(ending, { outcome: { kind: "succeeded" } });
  t.strictSame(said, ["finished"]);
});

t.test("a film of two nodes that Chromium's compositor paints has the bytes of one node's", (t) =>
  compareFilms(t, bench, "compositor-captured", `${mover}<canvas width="4" height="4"></canvas>`),
);

t.test("a helper node that is killed midway costs nothing but its part", async (t) => {
  const files = shareFilm(mover);
  const alone = await bench.film(files);
  const { lead, other, run, removed, bytesOf } = openFarm(bench);
  const made: number[] = [];
  let takes = 0;
  lead.hold("take");
  lead.onSaid((message) => message.kind === "made" && made.push(message.part));
  other.onSaid((message) => {
    if (message.kind !== "take" || ++takes < 4) return;
    other.die();
    lead.letGo();
  });
  const { ending, attempts } = await run(await bench.readInput(files));
  t.equal(attempts, 1);
  t.equal(takes, 4);
  t.ok(Math.min(...made) >= 2, "two parts of it are there, the rest is made");
  t.ok((await bytesOf(ending)).equals(await bench.readBytes(alone.key)), "the same bytes");
  await t.resolves(removed, "what they stored for each other is removed");
});

t.test("a film that goes the slow way after all goes it on both nodes", async (t) => {
  const style = "<style>body > #root { background: #00f !important }</style>";
  const files = shareFilm(style + mover);
  const alone = await bench.film(files);
  t.match(alone.details, { capture: "compositor-captured" });
  const { lead, other, run, removed, bytesOf } = openFarm(bench);
  const crews: string[] = [];
  lead.onSaid((message) => {
    if (message.kind !== "split") return;
    crews.push(JSON.stringify(message.helpers.input));
    if (crews.length === 2) lead.hold("take");
  });
  other.onSaid((message) => message.kind === "made" && crews.length === 2 && lead.letGo());
  const { ending } = await run(await bench.readInput(files));
  t.match(crews, [/"capture":"self-captured"/, /"capture":"compositor-captured"/]);
  t.match(ending, { outcome: { details: { capture: "compositor-captured" } } });
  t.ok((await bytesOf(ending)).equals(await bench.readBytes(alone.key)), "the same bytes");
  await t.resolves(removed, "what they stored for each other is removed");
});
