/** `sequence.xml` of exports, from what is written in a bundle to what an editor reads. */
import t from "tap";
import {
  getText,
  makeExport,
  parameterIn,
  readSequence,
  readWarnings,
  tagIn,
  tagsIn,
} from "./export-source.ts";

const sea = (attributes: string) => `<video src="sea.mp4" ${attributes}></video>`;

t.test(
  "sequence.xml is one sequence with uuid, name, duration, rate, timecode, media",
  async (t) => {
    const files = makeExport({ inside: sea('id="a" data-start="1" data-duration="2"') }, "fcpxml");
    const text = getText(files, "sequence.xml");
    t.match(
      text,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<!DOCTYPE xmeml>\n<xmeml version="5">/,
    );
    const xml = readSequence(files);
    const begins =
      '<sequence id="sequence-1"><uuid>01990000-0000-7000-8000-000000000001</uuid>' +
      "<name>Sea &amp; &lt;Sky&gt;</name><duration>300</duration>" +
      "<rate><timebase>30</timebase><ntsc>FALSE</ntsc></rate><timecode><rate>";
    t.ok(xml.includes(begins), xml.slice(0, 600));
    t.equal(
      xml.match(/<rate>/g)?.length,
      xml.match(/<rate><timebase>30<\/timebase><ntsc>FALSE<\/ntsc><\/rate>/g)?.length,
    );
  },
);

t.test("media/video starts with its format; media/audio has channels and a format", async (t) => {
  const xml = readSequence(
    makeExport({ inside: sea('data-start="0" data-duration="2"') }, "fcpxml"),
  );
  const picture =
    "<media><video><format><samplecharacteristics>" +
    "<rate><timebase>30</timebase><ntsc>FALSE</ntsc></rate><width>1280</width><height>720</height>" +
    "<anamorphic>FALSE</anamorphic><pixelaspectratio>square</pixelaspectratio>" +
    "<fielddominance>none</fielddominance><colordepth>24</colordepth>" +
    "</samplecharacteristics></format><track>";
  t.ok(xml.includes(picture));
  const sound =
    "<audio><numOutputChannels>2</numOutputChannels><format><samplecharacteristics>" +
    "<depth>16</depth><samplerate>48000</samplerate></samplecharacteristics></format><track>";
  t.ok(xml.includes(sound));
});

t.test("a clipitem has its children in order; out less in is end less start", async (t) => {
  const inside = sea('id="a" data-start="1" data-duration="2" data-media-start="3"');
  const [item = ""] = tagsIn(readSequence(makeExport({ inside }, "fcpxml")), "clipitem");
  const order = [...item.matchAll(/<(\w+)[^>]*>/g)].map(([, name]) => name);
  const wanted = [
    ...["masterclipid", "name", "enabled", "duration", "rate", "start", "end", "in", "out"],
    ...["alphatype", "file", "filter", "link"],
  ];
  const places = wanted.map((name) => order.indexOf(name));
  t.strictSame(
    places,
    [...places].sort((one, other) => one - other),
  );
  const values = ["name", "enabled", "duration", "start", "end", "in", "out", "alphatype"];
  t.strictSame(
    values.map((name) => tagIn(item, name)),
    ["0001-sea.mp4", "TRUE", "1800", "30", "90", "90", "150", "none"],
  );
});

t.test("a file is written in full once; its timecode is the source's", async (t) => {
  const inside =
    sea('id="a" data-start="0" data-duration="2"') + sea('id="b" data-start="2" data-duration="2"');
  const xml = readSequence(makeExport({ inside }, "fcpxml"));
  t.equal(xml.match(/<file id="file-media-0001">/g)?.length, 1);
  t.equal(xml.match(/<file id="file-media-0001"\/>/g)?.length, 5);
  const [file = ""] = tagsIn(xml, "file");
  t.match(file, /^<name>0001-sea.mp4<\/name><pathurl>media\/0001-sea.mp4<\/pathurl><rate>/);
  t.match(file, /<string>01:00:00:00<\/string><frame>108000<\/frame><displayformat>NDF</);
  t.match(file, /<samplerate>48000<\/samplerate><\/samplecharacteristics><channelcount>2</);
});

t.test("a stereo source is two audio clipitems, linked with one groupindex", async (t) => {
  const inside = sea('id="a" data-start="0" data-duration="2"');
  const items = tagsIn(readSequence(makeExport({ inside }, "fcpxml")), "clipitem");
  t.equal(items.length, 3);
  t.strictSame(
    items.map((item) => tagIn(item, "sourcetrack")),
    [
      undefined,
      "<mediatype>audio</mediatype><trackindex>1</trackindex>",
      "<mediatype>audio</mediatype><trackindex>2</trackindex>",
    ],
  );
  for (const item of items)
    t.strictSame(tagsIn(item, "linkclipref"), ["clipitem-1", "clipitem-2", "clipitem-3"]);
  t.strictSame(tagsIn(items[0] ?? "", "groupindex"), ["1", "1"]);
});

t.test("a source without sound has no audio, in its file and on no track", async (t) => {
  const inside = '<video id="m" src="mute.mp4" data-start="0" data-duration="2"></video>';
  const xml = readSequence(makeExport({ inside }, "fcpxml"));
  t.equal(tagsIn(xml, "clipitem").length, 1);
  t.notOk(tagIn(xml, "channelcount"));
  t.notOk(xml.includes("<link>"));
});

t.test("a playback rate is a timeremap filter; out less in is as much more", async (t) => {
  const inside = sea('id="a" data-start="0" data-duration="2" data-playback-rate="1.5"');
  const [item = ""] = tagsIn(readSequence(makeExport({ inside }, "fcpxml")), "clipitem");
  t.equal(parameterIn(item, "speed"), "150");
  t.strictSame([tagIn(item, "in"), tagIn(item, "out")], ["0", "90"]);
});

t.test("tracks are bottom to top; lanes with overlaps are split; texts are on top", async (t) => {
  const inside =
    sea('id="a" data-start="0" data-duration="4" data-track-index="3"') +
    sea('id="b" data-start="2" data-duration="4" data-track-index="3"') +
    '<img id="c" src="logo.png" data-start="5" data-duration="2" data-track-index="0" class="clip">';
  const edits = {
    version: 1,
    tracks: { 3: { locked: true } },
    texts: [{ id: "t", text: "Sea", start: 1, duration: 1 }],
  };
  const measured = { texts: [makeMeasuredText("t")] };
  const xml = readSequence(makeExport({ inside, edits, measured }, "fcpxml"));
  const video = xml.slice(0, xml.indexOf("<audio><numOutputChannels>"));
  const tracks = tagsIn(video, "track");
  const names = tracks.map((track) => tagsIn(track, "clipitem").map((item) => tagIn(item, "name")));
  t.strictSame(names, [["0001-sea.mp4"], ["0001-sea.mp4"], ["0002-logo.png"], ["0001-t.png"]]);
  const ends = tracks.map((track) => track.slice(track.lastIndexOf("<enabled>")));
  t.strictSame(ends, [
    "<enabled>TRUE</enabled><locked>TRUE</locked>",
    "<enabled>TRUE</enabled><locked>TRUE</locked>",
    "<enabled>TRUE</enabled><locked>FALSE</locked>",
    "<enabled>TRUE</enabled><locked>FALSE</locked>",
  ]);
  const sounds = tagsIn(xml.slice(video.length), "track");
  t.strictSame(
    sounds.map((track) => tagIn(track, "outputchannelindex")),
    ["1", "2", "1", "2"],
  );
});

t.test("hidden clips, those on a disabled track and muted ones are not enabled", async (t) => {
  const inside =
    sea('id="a" data-start="0" data-duration="2" data-track-index="0"') +
    sea('id="b" data-start="0" data-duration="2" data-track-index="1"') +
    sea('id="c" data-start="0" data-duration="2" data-track-index="2"') +
    sea('id="d" data-start="0" data-duration="2" data-track-index="3"');
  const edits = {
    version: 1,
    tracks: { 1: { enabled: false }, 2: { muted: true } },
    clips: { a: { hidden: true } },
    deleted: ["d"],
  };
  const items = tagsIn(readSequence(makeExport({ inside, edits }, "fcpxml")), "clipitem");
  t.strictSame(
    items.map((item) => tagIn(item, "enabled")),
    [...["FALSE", "FALSE", "TRUE"], ...["FALSE", "FALSE"], ...["FALSE", "FALSE"], "FALSE", "FALSE"],
  );
});

t.test("basic motion has scale of the source's own pixels, rotation and centre", async (t) => {
  const inside = sea('id="a" data-start="0" data-duration="2"');
  const edits = {
    version: 1,
    clips: { a: { transform: { x: 128, y: -72, scale: 0.5, rotation: 30, opacity: 0.4 } } },
  };
  const [item = ""] = tagsIn(readSequence(makeExport({ inside, edits }, "fcpxml")), "clipitem");
  t.equal(parameterIn(item, "scale"), "100");
  t.equal(parameterIn(item, "rotation"), "30");
  t.equal(parameterIn(item, "center"), "0.1  -0.1");
  t.equal(parameterIn(item, "opacity"), "40");
});

t.test("keyframes are at authored keys; one a frame only where motion is eased", async (t) => {
  const inside = sea('id="a" data-start="1" data-duration="4" data-media-start="2"');
  const motion = [
    { t: 0, opacity: 0, x: 0 },
    { t: 1, opacity: 1 },
    { t: 2, x: 1280, ease: "hold" },
    { t: 3, x: 0, opacity: 1, ease: "ease_in" },
    { t: 3.2, opacity: 0 },
  ];
  const edits = { version: 1, clips: { a: { motion } } };
  const [item = ""] = tagsIn(readSequence(makeExport({ inside, edits }, "fcpxml")), "clipitem");
  t.strictSame(parameterIn(item, "opacity"), [
    ...["60: 0", "90: 100", "150: 100", "151: 97.222222", "152: 88.888889", "153: 75"],
    ...["154: 55.555556", "155: 30.555556", "156: 0", "180: 0"],
  ]);
  t.strictSame(parameterIn(item, "center"), [
    ...["60: 0  0", "120: 1  0", "149: 1  0", "150: 0  0", "180: 0  0"],
  ]);
});

t.test("a mask that is a rectangle is a crop; other masks are named in README.txt", async (t) => {
  const inside =
    sea('id="a" data-start="0" data-duration="2"') + sea('id="b" data-start="2" data-duration="2"');
  const edits = {
    version: 1,
    clips: {
      a: {
        mask: {
          shape: "rect",
          points: [
            [128, 72],
            [1152, 360],
          ],
        },
      },
      b: {
        mask: {
          shape: "ellipse",
          points: [
            [128, 72],
            [1152, 360],
          ],
        },
      },
    },
  };
  const files = makeExport({ inside, edits }, "fcpxml");
  const [item = "", other = ""] = tagsIn(readSequence(files), "clipitem");
  t.strictSame(
    ["left", "right", "top", "bottom"].map((side) => parameterIn(item, side)),
    ["10", "10", "10", "50"],
  );
  t.equal(parameterIn(other, "left"), undefined);
  const sentence = "video#b has a mask (ellipse), which sequence.xml leaves out";
  t.strictSame(readWarnings(files), [sentence]);
  t.match(getText(files, "README.txt"), `- ${sentence}`);
});

t.test("volume and fades are linear levels", async (t) => {
  const inside =
    '<audio id="m" src="music.mp3" data-start="1" data-duration="6" data-volume="0.5" ' +
    'data-fade-in="1" data-fade-out="2"></audio>';
  const [item = ""] = tagsIn(readSequence(makeExport({ inside }, "fcpxml")), "clipitem");
  t.strictSame(parameterIn(item, "level"), ["0: 0", "30: 0.5", "120: 0.5", "180: 0"]);
});

t.test("a later clip that fades in over the overlap dissolves", async (t) => {
  const inside =
    sea('id="a" data-start="0" data-duration="3"') + sea('id="b" data-start="2" data-duration="3"');
  const motion = [
    { t: 0, opacity: 0 },
    { t: 1, opacity: 1 },
  ];
  const edits = { version: 1, clips: { b: { motion } } };
  const xml = readSequence(makeExport({ inside, edits }, "fcpxml"));
  const video = xml.slice(0, xml.indexOf("<audio><numOutputChannels>"));
  t.equal(tagsIn(video, "track").length, 1);
  const [one = "", other = ""] = tagsIn(video, "clipitem");
  t.strictSame([tagIn(one, "start"), tagIn(one, "end")], ["0", "-1"]);
  t.strictSame([tagIn(other, "start"), tagIn(other, "end")], ["-1", "150"]);
  t.strictSame([tagIn(one, "out"), tagIn(other, "out")], ["90", "90"]);
  t.equal(parameterIn(other, "opacity"), undefined);
  const between = video.slice(video.indexOf("</clipitem>"), video.lastIndexOf("<clipitem"));
  t.match(
    between,
    "<transitionitem><start>60</start><end>90</end><alignment>center</alignment><rate>",
  );
  t.match(between, "<effectcategory>Dissolve</effectcategory><effecttype>transition</effecttype>");
});

t.test("a picture that is held after its source ends there, which is named", async (t) => {
  const inside = '<video id="m" src="mute.mp4" data-start="1" data-duration="6"></video>';
  const files = makeExport({ inside }, "fcpxml");
  const [item = ""] = tagsIn(readSequence(files), "clipitem");
  t.strictSame([tagIn(item, "end"), tagIn(item, "out")], ["150", "120"]);
  const sentence =
    "video#m holds the last picture of its source from 00:00:05:00 to 00:00:07:00; in sequence.xml it ends there";
  t.strictSame(readWarnings(files), [sentence]);
});

t.test("names are ASCII with an extension, escaped and without control characters", async (t) => {
  const inside =
    '<img id="a" src="Tr%C3%A8s%20Long%20Nom.png" data-start="0" data-duration="1" class="clip">';
  const xml = readSequence(makeExport({ inside }, "fcpxml"));
  t.equal(tagIn(xml, "pathurl"), "media/0001-tres-long-nom.png");
  t.equal(tagsIn(tagIn(xml, "clipitem") ?? "", "duration")[0], "30");
});

t.test("what the page draws is named by a marker, what is not there by a warning", async (t) => {
  const inside =
    '<h1 id="title" class="clip" data-start="1" data-duration="2">Sea</h1>' +
    sea('id="a" data-start="0" data-duration="1"') +
    '<video id="gone" src="gone.mp4" data-start="0" data-duration="1"></video>';
  const files = makeExport({ inside }, "fcpxml");
  const marker =
    "<name>element#title</name><comment>drawn by the page</comment><in>30</in><out>90</out>";
  t.strictSame(tagsIn(readSequence(files), "marker"), [marker]);
  t.strictSame(
    readWarnings(files),
    [
      "index.html: video#gone src leads to gone.mp4, which is not in the bundle",
      'index.html: video#gone data-track-index overlaps "a" on track 0; both are shown',
      "element#title is drawn by the page (HTML, CSS, scripts): only a marker stands for it",
      "video#gone is left out: gone.mp4 does not exist",
    ].filter((sentence) => !sentence.includes("overlaps")),
  );
});

function makeMeasuredText(id: string) {
  const header = Buffer.alloc(33);
  header.writeUInt32BE(100, 16);
  header.writeUInt32BE(60, 20);
  return {
    id,
    box: { width: 60, height: 20 },
    baseline: 16,
    lines: ["Sea"],
    color: [255, 255, 255, 1] as [number, number, number, number],
    picture: header.toString("base64"),
    margin: 20,
  };
}
