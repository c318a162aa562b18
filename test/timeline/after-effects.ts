/**
 * A recording double of the After Effects object model: as much of it as a build script needs. It
 * refuses what After Effects refuses: properties that a layer does not have, shapes whose lists
 * differ in length, keys without values.
 */
import { createContext, runInContext } from "node:vm";
import { invariant } from "../../engine/invariant.ts";

export interface RecordedLayer {
  name: string;
  comment: string;
  source: string | undefined;
  text: string | undefined;
  stretch: number;
  startTime: number;
  inPoint: number;
  outPoint: number;
  enabled: boolean;
  audioEnabled: boolean;
  locked: boolean;
  timeRemapEnabled: boolean;
  readonly masks: RecordedMask[];
  /** Values and keys by match name. */
  readonly values: Record<string, unknown>;
  readonly keys: Record<string, readonly (readonly [time: number, value: unknown])[]>;
  readonly interpolations: Record<string, string[]>;
  readonly written: Record<string, unknown>;
}

export interface RecordedMask {
  vertices: unknown;
  inTangents: unknown;
  outTangents: unknown;
  closed: unknown;
  feather: unknown;
  mode: unknown;
  inverted: unknown;
}

export interface Recording {
  readonly comp: readonly unknown[];
  readonly imported: readonly string[];
  readonly placeholders: readonly (readonly unknown[])[];
  /** Layers as the layer panel lists them, from the bottom. */
  readonly layers: readonly RecordedLayer[];
  readonly markers: readonly (readonly [time: number, name: string, seconds: number])[];
  readonly alerts: readonly string[];
  readonly undo: readonly string[];
}

/** Runs a build script; `present` are the files beside it. */
export function runInAfterEffects(script: string, present: readonly string[]): Recording {
  const layers: RecordedLayer[] = [];
  const imported: string[] = [];
  const placeholders: (readonly unknown[])[] = [];
  const markers: [number, string, number][] = [];
  const alerts: string[] = [];
  const undo: string[] = [];
  let made: readonly unknown[] = [];
  class FileDouble {
    readonly fsName: string;
    constructor(path: string) {
      this.fsName = path;
    }
    get parent(): FileDouble {
      return new FileDouble(this.fsName.slice(0, this.fsName.lastIndexOf("/")));
    }
    get exists(): boolean {
      return present.some((path) => this.fsName === `/project/${path}`);
    }
  }
  class ImportOptions {
    readonly file: FileDouble;
    constructor(file: FileDouble) {
      this.file = file;
    }
  }
  class MarkerValue {
    readonly comment: string;
    duration = 0;
    constructor(comment: string) {
      this.comment = comment;
    }
  }
  const comp = {
    layers: {
      add: (item: { readonly path: string }) => getLayer(layers, { source: item.path }),
      addText: (text: string) => getLayer(layers, { text }),
    },
    markerProperty: {
      setValueAtTime(time: number, { comment, duration }: MarkerValue) {
        markers.push([time, comment, duration]);
      },
    },
  };
  const app = {
    beginUndoGroup: (name: string) => undo.push(`begin ${name}`),
    endUndoGroup: () => undo.push("end"),
    project: {
      items: {
        addComp(...given: unknown[]) {
          made = given;
          return comp;
        },
      },
      importFile({ file }: ImportOptions) {
        imported.push(file.fsName.replace("/project/", ""));
        return { path: file.fsName.replace("/project/", "") };
      },
      importPlaceholder(...given: unknown[]) {
        placeholders.push(given);
        return { path: `media/${given[0]}` };
      },
    },
  };
  const context = createContext({
    app,
    File: FileDouble,
    ImportOptions,
    MarkerValue,
    Shape: ShapeDouble,
    $: { fileName: "/project/build.jsx" },
    alert: (sentence: string) => alerts.push(sentence),
    MaskMode: { ADD: "add", INTERSECT: "intersect" },
    KeyframeInterpolationType: { LINEAR: "linear" },
    PropertyValueType: { ThreeD_SPATIAL: "3d" },
    ParagraphJustification: {
      LEFT_JUSTIFY: "left",
      CENTER_JUSTIFY: "center",
      RIGHT_JUSTIFY: "right",
    },
  });
  runInContext(script, context);
  return plain({ comp: made, imported, placeholders, layers, markers, alerts, undo });
}

/** Copies the lists of a script, which are of another realm and equal to none of this one. */
function plain(recording: Recording): Recording {
  return JSON.parse(JSON.stringify(recording)) as Recording;
}

class ShapeDouble {
  vertices: readonly unknown[] = [];
  inTangents: readonly unknown[] = [];
  outTangents: readonly unknown[] = [];
  closed = false;
}

type Made = Pick<Partial<RecordedLayer>, "source" | "text">;

function getLayer(layers: RecordedLayer[], { source, text }: Made): object {
  const layer: RecordedLayer = {
    name: "",
    comment: "",
    source,
    text,
    stretch: 100,
    startTime: 0,
    inPoint: 0,
    outPoint: 0,
    enabled: true,
    audioEnabled: true,
    locked: false,
    timeRemapEnabled: false,
    masks: [],
    values: {},
    keys: {},
    interpolations: {},
    written: {},
  };
  layers.push(layer);
  return Object.assign(layer, { property: (group: string) => findGroup(layer, group) });
}

const transforms = [
  ...["ADBE Anchor Point", "ADBE Position", "ADBE Scale", "ADBE Rotate Z", "ADBE Opacity"],
];

function findGroup(layer: RecordedLayer, group: string): unknown {
  switch (group) {
    case "ADBE Transform Group":
      return {
        property(name: string) {
          invariant(transforms.includes(name), `a layer has no ${name}`);
          return findProperty(layer, name);
        },
      };
    case "ADBE Audio Group":
      return { property: (name: string) => findProperty(layer, name) };
    case "ADBE Text Properties":
      invariant(layer.text !== undefined, "only a text layer has text");
      return { property: () => ({ value: layer.written, setValue: () => undefined }) };
    case "ADBE Mask Parade":
      return { addProperty: () => computeMask(layer) };
    case "ADBE Time Remapping":
      invariant(layer.timeRemapEnabled, "time remapping is on");
      return getRemap(layer);
    default:
      throw new Error(`a layer has no ${group}`);
  }
}

function findProperty(layer: RecordedLayer, name: string): object {
  return {
    isSpatial: /Position|Anchor/.test(name),
    propertyValueType: "3d",
    setValue(value: unknown) {
      layer.values[name] = value;
    },
    setValuesAtTimes(times: readonly number[], values: readonly unknown[]) {
      invariant(times.length === values.length && times.length > 0, "each key has a value");
      layer.keys[name] = times.map((time, at) => [time, values[at]] as const);
    },
    setInterpolationTypeAtKey(key: number, into: string, out: string) {
      invariant(key >= 1 && key <= (layer.keys[name]?.length ?? 0), "the key is there");
      layer.interpolations[name] = [...(layer.interpolations[name] ?? []), `${into} ${out}`];
    },
    setSpatialAutoBezierAtKey: () => undefined,
    setSpatialContinuousAtKey: () => undefined,
    setSpatialTangentsAtKey(_: number, into: readonly number[], out: readonly number[]) {
      invariant(into.length === 3 && out.length === 3, "tangents have three parts");
    },
  };
}

function computeMask({ masks }: RecordedLayer): object {
  const mask: RecordedMask = {
    vertices: [],
    inTangents: [],
    outTangents: [],
    closed: false,
    feather: [0, 0],
    mode: "add",
    inverted: false,
  };
  masks.push(mask);
  return {
    set maskMode(mode: string) {
      mask.mode = mode;
    },
    set inverted(is: boolean) {
      mask.inverted = is;
    },
    property: (name: string) => ({
      setValue(value: unknown) {
        if (name === "ADBE Mask Feather") mask.feather = value;
        else takeShape(mask, value as ShapeDouble);
      },
    }),
  };
}

function takeShape(mask: RecordedMask, { vertices, inTangents, outTangents, closed }: ShapeDouble) {
  const lengths = new Set([vertices.length, inTangents.length, outTangents.length]);
  invariant(lengths.size === 1 && vertices.length > 2, "the lists of a shape are of one length");
  Object.assign(mask, { vertices, inTangents, outTangents, closed });
}

/** The first keys in After Effects: one at the source's start, one behind its last picture. */
function getRemap(layer: RecordedLayer): object {
  const keys: [number, number][] = [
    [layer.startTime, 0],
    [86_400, 86_400],
  ];
  const save = () => {
    layer.keys["ADBE Time Remapping"] = keys;
  };
  return {
    get numKeys() {
      return keys.length;
    },
    keyTime: (key: number) => keys[key - 1]?.[0] ?? 0,
    removeKey(key: number) {
      keys.splice(key - 1, 1);
      save();
    },
    setValueAtTime(time: number, value: number) {
      keys.push([time, value]);
      keys.sort(([one], [other]) => one - other);
      save();
    },
  };
}
