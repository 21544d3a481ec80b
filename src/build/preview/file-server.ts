// Shows the files of a folder to a browser of this machine: what a page without a server of its own needs.
// Invariants: it listens on 127.0.0.1 only and answers only those who call it by that name, so that no page of another site
// reaches it; nothing outside of the folder is read, also not through a link, no name that begins with a dot, and no
// directory is listed. Nothing is kept by the browser: the files are being worked on.

import { createServer, type ServerResponse } from "node:http";
import { extname, join, relative } from "node:path";
import { normalize } from "node:path/posix";
import { codeOf } from "../../core/errors.js";
import { diskFlags, type Fs } from "../../lib/fs.js";
import { within } from "../../lib/paths.js";
import { localAddress } from "./free-port.js";

export interface FileServer {
  /** Resolves when the port is free again. */
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".xml": "application/xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
  ".pdf": "application/pdf",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
};

/** Rejects with the system's error when the port is taken. */
export async function serveFolder(disk: Fs, folder: string, port: number): Promise<FileServer> {
  const root = disk.realpathSync(folder);
  const names = [`${localAddress}:${port}`, `localhost:${port}`];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    if (!names.includes(headers.host ?? "")) refuse(response, 421, "Not called by its name.");
    else if (method !== "GET" && method !== "HEAD") refuse(response, 405, "Only GET and HEAD.");
    else answer(disk, root, { url, isHead: method === "HEAD" }, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, localAddress, resolve);
  });
  // It ends with Cinch and never keeps it.
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        // Whoever waits for its end is held up by it.
        server.ref().close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  disk: Fs,
  root: string,
  { url, isHead }: { url: string; isHead: boolean },
  response: ServerResponse,
): void {
  try {
    const found = find(disk, root, url);
    if (found === null) refuse(response, 404, "There is no such file.");
    else if ("moved" in found) response.writeHead(302, { ...always, location: found.moved }).end();
    else send(disk, found, isHead, response);
  } catch (error) {
    const isGone = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(codeOf(error) ?? "");
    if (isGone) refuse(response, 404, "There is no such file.");
    else refuse(response, 500, "The file could not be read.");
  }
}

interface Opened {
  fd: number;
  bytes: number;
  type: string;
}

/** Throws the system's error for what is not there. */
function find(disk: Fs, root: string, url: string): Opened | { moved: string } | null {
  const path = pathOf(url);
  if (path === null) return null;
  const named = disk.realpathSync(join(root, path));
  if (!isShown(root, named)) return null;
  if (!disk.statSync(named).isDirectory()) return path.endsWith("/") ? null : open(disk, named);
  if (!path.endsWith("/")) return { moved: encodeURI(`${normalize(path)}/`) };
  const page = disk.realpathSync(join(named, "index.html"));
  return isShown(root, page) ? open(disk, page) : null;
}

/** A link that came to stand there meanwhile is not followed. */
function open(disk: Fs, file: string): Opened | null {
  const fd = disk.openSync(file, diskFlags.O_RDONLY | diskFlags.O_NOFOLLOW | diskFlags.O_NONBLOCK);
  const stat = disk.fstatSync(fd);
  if (stat.isFile())
    return { fd, bytes: stat.size, type: types[extname(file).toLowerCase()] ?? "application/octet-stream" };
  disk.closeSync(fd);
  return null;
}

/** Where a file truly is decides, whatever it was called by. */
function isShown(root: string, file: string): boolean {
  return within(root, file) && !hasHidden(relative(root, file));
}

function hasHidden(path: string): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

/** Null for what is never shown. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "");
    return !path.startsWith("/") || hasHidden(path) || /[\0\\]/.test(path) ? null : path;
  } catch {
    return null;
  }
}

function send(disk: Fs, { fd, bytes, type }: Opened, isHead: boolean, response: ServerResponse): void {
  response.writeHead(200, { ...always, "content-type": type, "content-length": bytes });
  if (isHead || bytes === 0) {
    disk.closeSync(fd);
    response.end();
    return;
  }
  const stream = disk.createReadStream("", { fd, end: bytes - 1 });
  stream.once("error", () => response.destroy());
  response.once("close", () => stream.destroy());
  stream.pipe(response);
}

const always = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...always, "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
