import t from "tap";
import { survive } from "./random-deaths.ts";

const deaths = 8;

t.test(`after ${deaths} random deaths nothing is lost and nothing is stuck`, async (t) => {
  await survive(t, deaths, 7);
});
