import { Img, OffthreadVideo, Series, staticFile } from "remotion";

const whole = { position: "absolute", width: 1920, height: 1080, objectFit: "fill" };
const clip = staticFile("clip.mp4");

/** The film `clips`. */
export function Clips() {
  return (
    <Series>
      <Series.Sequence durationInFrames={120}>
        <OffthreadVideo muted src={clip} style={whole} />
      </Series.Sequence>
      <Series.Sequence durationInFrames={120}>
        <Img src={staticFile("photo.jpg")} style={whole} />
      </Series.Sequence>
      <Series.Sequence durationInFrames={120}>
        <OffthreadVideo muted trimBefore={150} src={clip} style={whole} />
      </Series.Sequence>
    </Series>
  );
}
