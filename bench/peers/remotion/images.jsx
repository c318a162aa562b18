import {
  AbsoluteFill,
  Audio,
  Img,
  interpolate,
  OffthreadVideo,
  staticFile,
  useCurrentFrame,
} from "remotion";
import { FilmFont } from "./film-font.jsx";

const words = ["Made of", "words", "and light", "by night"];

/** The films `images` and `video`. */
export function Images({ hasVideo = false }) {
  const seconds = useCurrentFrame() / 30;
  const share = seconds / 10;
  return (
    <AbsoluteFill
      style={{
        overflow: "hidden",
        background: "linear-gradient(135deg, #1b2340, #0b0d16)",
        color: "#f4f1ea",
        fontFamily: "Film, sans-serif",
      }}
    >
      <FilmFont />
      {hasVideo && <Recording />}
      <Img
        src={staticFile("photo.jpg")}
        style={{
          position: "absolute",
          ...(hasVideo
            ? { left: 1160, top: 440, width: 640, height: 480 }
            : { left: 920, top: 190, width: 880, height: 660 }),
          objectFit: "cover",
          borderRadius: 24,
          boxShadow: "0 30px 80px rgba(0, 0, 0, .6)",
          transform: `rotate(${-12 + 24 * share}deg) scale(${0.9 + 0.15 * share})`,
        }}
      />
      {words.map((word, at) => (
        <div
          key={word}
          style={{
            position: "absolute",
            left: 120,
            top: 240 + 160 * at,
            fontSize: 132,
            fontWeight: 700,
            lineHeight: 1,
            color: at === 3 ? "#ffb347" : undefined,
            opacity: interpolate(seconds - 0.3 - 0.6 * at, [0, 1.5], [0, 1], clamped),
            transform: `translateX(${90 * share}px)`,
          }}
        >
          {word}
        </div>
      ))}
      <div
        style={{
          position: "absolute",
          left: 0,
          top: 1056,
          width: 1920,
          height: 24,
          background: "#ffb347",
          transformOrigin: "0 0",
          transform: `scaleX(${share})`,
        }}
      />
    </AbsoluteFill>
  );
}

const clamped = { extrapolateLeft: "clamp", extrapolateRight: "clamp" };

function Recording() {
  return (
    <>
      <OffthreadVideo
        muted
        src={staticFile("clip.mp4")}
        style={{
          position: "absolute",
          left: 120,
          top: 100,
          width: 1200,
          height: 675,
          borderRadius: 16,
        }}
      />
      <Audio src={staticFile("tone.m4a")} />
    </>
  );
}
