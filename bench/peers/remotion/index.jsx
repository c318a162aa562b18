import { Composition, registerRoot } from "remotion";
import { Clips } from "./clips.jsx";
import { Images } from "./images.jsx";
import { Slides } from "./slides.jsx";

/** The films of bench/films once more, for Remotion: the same pictures at the same times. */
const shape = { width: 1920, height: 1080, fps: 30 };

function Films() {
  return (
    <>
      <Composition id="images" component={Images} durationInFrames={300} {...shape} />
      <Composition
        id="video"
        component={Images}
        durationInFrames={300}
        defaultProps={{ hasVideo: true }}
        {...shape}
      />
      <Composition id="slides" component={Slides} durationInFrames={900} {...shape} />
      <Composition id="clips" component={Clips} durationInFrames={360} {...shape} />
    </>
  );
}

registerRoot(Films);
