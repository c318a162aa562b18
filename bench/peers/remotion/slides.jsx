import { AbsoluteFill, Img, interpolate, Sequence, staticFile, useCurrentFrame } from "remotion";
import { FilmFont } from "./film-font.jsx";

const slides = [
  ["Where we stand", "Six slides of five seconds"],
  ["What was asked", "Each enters in half a second"],
  ["What we found", "And then nothing moves"],
  ["What it costs", "Nine tenths of a film like this"],
  ["What is next", "Look as the frame before did"],
  ["Thank you", "Questions are welcome"],
];

/** The film `slides`. */
export function Slides() {
  const ground = { background: "#f4f1ea", color: "#1b2340", fontFamily: "Film, sans-serif" };
  return (
    <AbsoluteFill style={ground}>
      <FilmFont />
      {slides.map(([title, line], at) => (
        <Sequence key={title} from={150 * at} durationInFrames={150}>
          <Slide title={title} line={line} />
        </Sequence>
      ))}
    </AbsoluteFill>
  );
}

function Slide({ title, line }) {
  const share = interpolate(useCurrentFrame(), [0, 15], [0, 1], { extrapolateRight: "clamp" });
  const place = { position: "absolute", left: 140, margin: 0 };
  const x = `translateX(${-200 * (1 - share)}px)`;
  return (
    <>
      <h1 style={{ ...place, top: 220, fontSize: 120, transform: x }}>{title}</h1>
      <p style={{ ...place, top: 420, fontSize: 52 }}>{line}</p>
      <Img
        src={staticFile("photo.jpg")}
        style={{
          position: "absolute",
          left: 1080,
          top: 400,
          width: 700,
          height: 525,
          objectFit: "cover",
          borderRadius: 16,
          boxShadow: "0 20px 60px rgba(0, 0, 0, .4)",
          opacity: share,
        }}
      />
    </>
  );
}
