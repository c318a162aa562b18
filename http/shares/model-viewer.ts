/// <reference lib="dom" />
/**
 * Shows a GLB on a share page: turned by hand, lit by a neutral room, its first animation playing.
 * The page's policy allows requests to the store and pictures from memory, nothing else: models
 * that need decoders or other files are not shown, and the page says so.
 */
import {
  ACESFilmicToneMapping,
  AnimationMixer,
  Box3,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  TextureLoader,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { type GLTF, GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const viewDegrees = 35;
/** How close the camera is: 1 shows all of the sphere around the model. */
const fullness = 0.85;
const pixelRatioMax = 2;
/** Rotations per minute, until the user takes hold of the model. */
const idleTurns = 1.5;

const stage = document.getElementById("model");
if (stage !== null)
  show(stage).catch(() => document.getElementById("model-fault")?.removeAttribute("hidden"));

async function show(stage: HTMLElement): Promise<void> {
  const gltf = await load(stage.dataset["src"] ?? "");
  const renderer = new WebGLRenderer({ antialias: true, alpha: true });
  renderer.toneMapping = ACESFilmicToneMapping;
  const scene = new Scene();
  scene.environment = new PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
  scene.add(gltf.scene);
  const camera = new PerspectiveCamera(viewDegrees);
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.enableDamping = true;
  controls.autoRotate = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  controls.autoRotateSpeed = idleTurns;
  controls.addEventListener("start", () => {
    controls.autoRotate = false;
  });
  frame(gltf, camera, controls);
  const fit = (): void => {
    const { clientWidth: width, clientHeight: height } = stage;
    camera.aspect = width / Math.max(1, height);
    camera.updateProjectionMatrix();
    renderer.setPixelRatio(Math.min(devicePixelRatio, pixelRatioMax));
    renderer.setSize(width, height, false);
  };
  new ResizeObserver(fit).observe(stage);
  fit();
  const [clip] = gltf.animations;
  const mixer = new AnimationMixer(gltf.scene);
  if (clip !== undefined) mixer.clipAction(clip).play();
  let lastMs: number | undefined;
  renderer.setAnimationLoop((nowMs) => {
    mixer.update((nowMs - (lastMs ?? nowMs)) / 1000);
    lastMs = nowMs;
    controls.update();
    renderer.render(scene, camera);
  });
  renderer.render(scene, camera);
  for (const picture of stage.querySelectorAll("img")) picture.remove();
  stage.append(renderer.domElement);
}

async function load(url: string): Promise<GLTF> {
  const loader = new GLTFLoader();
  // The default texture loader makes requests to blob URLs, which the page's policy refuses.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: "KLIEG_plain_textures" };
  });
  return loader.loadAsync(url);
}

/** Places the camera so that the whole model is in view, seen from slightly above. */
function frame({ scene }: GLTF, camera: PerspectiveCamera, controls: OrbitControls): void {
  const box = new Box3().setFromObject(scene);
  const radius = Math.max(1e-6, box.getSize(new Vector3()).length() / 2);
  const distance = (fullness * radius) / Math.sin(((viewDegrees / 2) * Math.PI) / 180);
  box.getCenter(controls.target);
  camera.position
    .copy(controls.target)
    .add(new Vector3(0.35, 0.3, 1).normalize().multiplyScalar(distance));
  camera.near = distance / 100;
  camera.far = distance * 10;
  controls.minDistance = radius / 2;
  controls.maxDistance = distance * 4;
}
