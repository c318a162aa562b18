import t from "tap";
import { computePrice, type Units } from "../../actors/pricing.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import { plainModel } from "./models.ts";

type Rule = ModelEntry["price"];

function price(
  rule: Partial<Rule>,
  units: Units,
  options: Readonly<Record<string, string>> = {},
): number {
  return computePrice({ ...plainModel, price: { ...plainModel.price, ...rule } }, units, options);
}

t.test(
  "a 1080p 8 s video with per.seconds 2 and a multiplier of 1.5 costs 24 credits",
  async (t) => {
    const multipliers = { resolution: { "1080p": 1.5 } };
    t.equal(
      price({ base: 0, per: { seconds: 2 }, multipliers }, { seconds: 8 }, { resolution: "1080p" }),
      24,
    );
    t.equal(
      price({ base: 0, per: { seconds: 2 }, multipliers }, { seconds: 8 }, { resolution: "720p" }),
      16,
    );
    t.equal(price({ base: 0, per: { seconds: 2 }, multipliers }, { seconds: 8 }), 16);
  },
);

t.test(
  "price = max(minimum, ceil((base + sum(per * units)) * product(multipliers)))",
  async (t) => {
    const rule = {
      base: 1,
      per: { images: 2, megapixels: 0.5 },
      multipliers: { quality: { high: 2 }, resolution: { "2k": 1.5 } },
      minimum: 3,
    };
    t.equal(price(rule, { images: 2, megapixels: 3 }, { quality: "high", resolution: "2k" }), 20);
    t.equal(price(rule, { images: 2, megapixels: 3 }, { quality: "high" }), 13);
    t.equal(price(rule, { images: 2, seconds: 100 }), 5, "a unit without a rate is free");
    t.equal(price(rule, {}), 3, "the minimum");
    t.equal(price({ per: { characters_1000: 1.5 } }, { characters_1000: 2.4 }), 4);
  },
);

t.test("arithmetic is in exact decimals", async (t) => {
  t.equal(price({ per: { seconds: 0.1 } }, { seconds: 30 }), 3);
  t.equal(price({ base: 0.1, per: { images: 0.2 } }, { images: 1 }), 1);
  t.equal(
    price({ base: 1.1, multipliers: { a: { b: 1.1 }, c: { d: 100 } } }, {}, { a: "b", c: "d" }),
    121,
  );
  t.equal(price({ base: 0.07, multipliers: { a: { b: 100 } } }, {}, { a: "b" }), 7);
  t.equal(price({ base: 1e9, multipliers: { a: { b: 1.000001 } } }, {}, { a: "b" }), 1_000_001_000);
});

t.test("a price is rounded up, once", async (t) => {
  t.equal(price({ base: 2.000001 }, {}), 3);
  t.equal(
    price({ per: { seconds: 0.3 }, multipliers: { a: { b: 0.5 } } }, { seconds: 7 }, { a: "b" }),
    2,
  );
  // 0.953675 * 1.048576 = 1.0000007...
  t.equal(price({ per: { megapixels: 0.953675 } }, { megapixels: 1.048576 }), 2, "rounded once");
});

t.test("the same rule gives the same price every time", async (t) => {
  const prices = Array.from({ length: 3_000 }, (_, at) => price({ base: at / 1000 }, {}));
  t.ok(prices.every((credits, at) => credits === Math.ceil(at / 1000)));
});
