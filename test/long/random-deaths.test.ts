import t from "tap";
import { survive } from "../crash/random-deaths.ts";

const deaths = Number(process.env["TEST_DEATHS"] ?? 200);
const seed = Number(process.env["TEST_SEED"] ?? 7);

t.test(`after ${deaths} random deaths of seed ${seed} nothing is lost or stuck`, async (t) => {
  await survive(t, deaths, seed);
});
