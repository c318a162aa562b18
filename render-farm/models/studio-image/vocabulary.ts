/** The words that the studio knows, each with what it paints for them. */
export type Setting =
  | "abstract"
  | "city"
  | "clouds"
  | "dunes"
  | "forest"
  | "lake"
  | "meadow"
  | "mountains"
  | "sea"
  | "snow"
  | "space"
  | "underwater";

export type SubjectKind =
  | "balloon"
  | "bear"
  | "bird"
  | "boat"
  | "butterfly"
  | "cactus"
  | "camel"
  | "castle"
  | "cat"
  | "deer"
  | "dog"
  | "elephant"
  | "fish"
  | "flower"
  | "fox"
  | "horse"
  | "house"
  | "jellyfish"
  | "kite"
  | "lighthouse"
  | "moon"
  | "palm"
  | "person"
  | "plane"
  | "planet"
  | "rabbit"
  | "rainbow"
  | "rocket"
  | "ship"
  | "sun"
  | "tent"
  | "tree"
  | "whale"
  | "windmill"
  | "wolf";

export type TimeOfDay = "dawn" | "day" | "golden" | "dusk" | "night" | "storm";
export type Weather = "aurora" | "fog" | "lightning" | "rain" | "snowfall" | "stars" | "wind";
export type Style = "ink" | "minimal" | "natural" | "neon" | "retro" | "watercolour";

function words<T extends string>(lists: Readonly<Record<T, string>>): ReadonlyMap<string, T> {
  const entries = Object.entries<string>(lists) as [T, string][];
  return new Map(
    entries.flatMap(([meaning, list]) => list.split(" ").map((word) => [word, meaning] as const)),
  );
}

export const settings = words<Setting>({
  abstract: "abstract geometric geometry pattern bauhaus cubist fractal generative texture shapes",
  city: "city skyline town street skyscraper building downtown metropolis tokyo manhattan york \
paris london berlin chicago shanghai rooftop cityscape urban megacity cyberpunk",
  clouds: "cloud sky cloudscape heaven above",
  dunes: "dune desert sand sahara arabia gobi canyon mars wasteland oasis",
  forest: "forest wood woods woodland jungle grove pine taiga redwood wilderness",
  lake: "lake river pond fjord lagoon reflection loch stream",
  meadow:
    "meadow field grass hill hillside valley countryside farm garden pasture prairie \
savanna savannah plain steppe lawn park village vineyard orchard",
  mountains: "mountain peak alps summit himalaya volcano ridge cliff alpine range everest fuji",
  sea: "sea ocean beach coast shore bay harbor harbour wave waves coastline seaside water surf \
atlantic pacific marina horizon island",
  snow: "snow snowy arctic antarctic glacier winter tundra ice icy polar frozen",
  space:
    "space galaxy nebula cosmos cosmic universe orbit interstellar milky asteroid saturn \
jupiter",
  underwater: "underwater reef undersea submarine seabed deep abyss",
});

export const subjects = words<SubjectKind>({
  balloon: "balloon airship zeppelin hot-air",
  bear: "bear grizzly panda",
  bird: "bird gull seagull flock swallow geese goose crane eagle raven crow dove swan hawk heron",
  boat: "boat sailboat sail yacht sailing dinghy canoe gondola",
  butterfly: "butterfly moth",
  cactus: "cactus cacti saguaro",
  camel: "camel caravan dromedary",
  castle: "castle fortress palace tower citadel",
  cat: "cat kitten",
  deer: "deer stag elk reindeer moose antler antelope gazelle",
  dog: "dog puppy hound",
  elephant: "elephant mammoth",
  fish: "fish shark salmon koi goldfish",
  flower:
    "flower poppy tulip rose daisy sunflower blossom bloom lily wildflower bouquet lotus \
peony orchid",
  fox: "fox",
  horse: "horse stallion pony mustang unicorn",
  house: "house cabin cottage hut home barn farmhouse village chalet temple",
  jellyfish: "jellyfish medusa",
  kite: "kite",
  lighthouse: "lighthouse beacon",
  moon: "moon moonlight moonlit moonrise crescent lunar",
  palm: "palm tropical oasis coconut",
  person:
    "person man woman girl boy child figure traveler traveller hiker wanderer astronaut \
monk people human knight samurai dancer shepherd",
  plane: "plane airplane aeroplane aircraft jet biplane glider",
  planet: "planet saturn jupiter earth world ringed",
  rabbit: "rabbit hare bunny",
  rainbow: "rainbow",
  rocket: "rocket spaceship spacecraft starship shuttle launch",
  ship: "ship galleon ferry steamer schooner frigate pirate tanker",
  sun: "sun sunlight sunny",
  tent: "tent camp camping campfire yurt",
  tree: "tree oak pine fir birch willow cypress cherry sakura maple baobab acacia",
  whale: "whale orca dolphin humpback",
  windmill: "windmill mill turbine",
  wolf: "wolf wolves coyote howling",
});

export const times = words<TimeOfDay>({
  dawn: "dawn sunrise morning daybreak pastel serene soft",
  day: "day noon midday afternoon daytime sunny bright summer spring clear",
  golden: "golden-hour sunset evening sundown autumn fall warm",
  dusk: "dusk twilight gloaming nightfall moody",
  night: "night midnight nocturnal moonlight moonlit starry stars starlight moon",
  storm: "storm stormy thunder thunderstorm tempest gloomy overcast rain rainy dark",
});

export const weathers = words<Weather>({
  aurora: "aurora borealis northern-lights",
  fog: "fog foggy mist misty haze hazy",
  lightning: "lightning thunder thunderstorm",
  rain: "rain rainy raining drizzle downpour storm stormy",
  snowfall: "snowfall snowing snowflake blizzard snowstorm winter",
  stars: "star starry stars starlight milky",
  wind: "wind windy breeze",
});

export const styles = words<Style>({
  ink: "ink sumi sumi-e calligraphy monochrome woodcut sketch noir drawing pencil charcoal",
  minimal: "minimal minimalist minimalistic simple flat clean",
  natural: "photo photographic realistic painting oil cinematic",
  neon: "neon cyberpunk synthwave vaporwave outrun glowing electric",
  retro: "retro vintage poster screenprint 70s 60s 1970s travel risograph linocut",
  watercolour: "watercolour watercolor aquarelle gouache wash painted",
});

export const counts: ReadonlyMap<string, number> = new Map([
  ["a", 1],
  ["an", 1],
  ["one", 1],
  ["single", 1],
  ["lone", 1],
  ["lonely", 1],
  ["two", 2],
  ["couple", 2],
  ["pair", 2],
  ["three", 3],
  ["four", 4],
  ["five", 5],
  ["six", 6],
  ["several", 4],
  ["some", 4],
  ["flock", 9],
  ["many", 9],
  ["dozen", 12],
  ["herd", 6],
  ["school", 14],
  ["caravan", 5],
]);

/** Settings for each kind of subject, used when the prompt names none. */
export const homes: Readonly<Record<SubjectKind, readonly [Setting, ...Setting[]]>> = {
  balloon: ["meadow", "mountains", "dunes"],
  bear: ["forest", "mountains"],
  bird: ["sea", "clouds"],
  boat: ["sea", "lake"],
  butterfly: ["meadow"],
  cactus: ["dunes"],
  camel: ["dunes"],
  castle: ["mountains", "meadow"],
  cat: ["meadow"],
  deer: ["forest", "meadow"],
  dog: ["meadow"],
  elephant: ["meadow"],
  fish: ["underwater"],
  flower: ["meadow"],
  fox: ["snow", "forest"],
  horse: ["meadow"],
  house: ["meadow", "lake"],
  jellyfish: ["underwater"],
  kite: ["meadow", "dunes"],
  lighthouse: ["sea"],
  moon: ["sea", "mountains"],
  palm: ["sea", "dunes"],
  person: ["mountains", "dunes"],
  plane: ["clouds"],
  planet: ["space"],
  rabbit: ["meadow"],
  rainbow: ["meadow"],
  rocket: ["space"],
  ship: ["sea"],
  sun: ["sea", "dunes"],
  tent: ["mountains", "lake"],
  tree: ["meadow"],
  whale: ["sea"],
  windmill: ["meadow"],
  wolf: ["snow", "mountains"],
};
