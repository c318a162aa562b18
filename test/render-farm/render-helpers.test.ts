import t from "tap";
import { composition, openFilmBench } from "./film-bench.ts";
import { compareFilms, mover, openFarm } from "./two-node-film.ts";

const bench = await openFilmBench(t, 1);

t.test("a film that two nodes make has the bytes of one node's film", (t) =>
  compareFilms(t, bench, "self-captured", mover),
);

t.test("a film that is soon done is not split", async (t) => {
  const { lead, run } = openFarm(bench);
  const said: string[] = [];
  lead.onSaid(({ kind }) => said.push(kind));
  const { ending } = await run(
    await bench.inputOf(composition(mover, 'data-duration="4"', [96, 54])),
  );
  t.match(ending, { outcome: { kind: "succeeded" } });
  t.strictSame(said, ["finished"]);
});
