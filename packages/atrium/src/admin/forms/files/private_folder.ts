import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { FSDriver } from '@adonisjs/drive/drivers/fs'
import type { ObjectMetaData } from '@adonisjs/drive/types'
import { RuntimeError } from '#crud'

/**
 * Drive driver for a folder of the server. Unlike Drive's driver, it writes files atomically, only the server's user
 * has access, and symbolic links are not followed.
 */
export class PrivateFolder extends FSDriver {
  readonly #root: string

  /** @param location  absolute path; the folder is created when the first file is stored */
  constructor(location: string) {
    super({ location, visibility: 'private' })
    this.#root = location
  }

  override async exists(key: string): Promise<boolean> {
    const stats = await lstat(this.#pathOf(key)).catch(nothingIfMissing)
    return stats?.isFile() ?? false
  }

  override async getMetaData(key: string): Promise<ObjectMetaData> {
    const stats = await lstat(this.#pathOf(key))
    if (!stats.isFile()) throw new RuntimeError(`${key} is not a file`)
    return {
      contentLength: stats.size,
      etag: `"${stats.size}-${stats.mtimeMs}"`,
      lastModified: stats.mtime,
    }
  }

  override async getStream(key: string): Promise<Readable> {
    const handle = await open(this.#pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW)
    return handle.createReadStream()
  }

  override async get(key: string): Promise<string> {
    return await text(await this.getStream(key))
  }

  override async getBytes(key: string): Promise<Uint8Array> {
    return await buffer(await this.getStream(key))
  }

  override put(key: string, contents: string | Uint8Array): Promise<void> {
    return this.#writeWhole(key, contents)
  }

  override putStream(key: string, contents: Readable): Promise<void> {
    /* Without a listener, an error before the first byte is read would terminate the process. */
    contents.on('error', () => {})
    return this.#writeWhole(key, contents)
  }

  /**
   * Moves a file of this server into the folder. The content is not loaded into memory.
   *
   * @param path  absolute path of the file; only the server's user may have access to it
   */
  async take(key: string, path: string): Promise<void> {
    await this.#storeWhole(key, async (part) => {
      try {
        await rename(path, part)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
        /* The file is on another file system. */
        await copyFile(path, part)
        await rm(path)
      }
    })
  }

  async #writeWhole(key: string, contents: string | Uint8Array | Readable): Promise<void> {
    await this.#storeWhole(key, (part) => writeFile(part, contents, { mode: 0o600 }))
  }

  /**
   * Stores a file under a temporary name, then renames it.
   *
   * @param store  creates the file at a temporary path
   */
  async #storeWhole(key: string, store: (part: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(key)
    const part = `${path}.part`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await store(part)
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  #pathOf(key: string): string {
    return join(this.#root, key)
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
