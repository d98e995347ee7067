import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf } from '../helpers/client.js'
import { allProducts, disagreements, fileErrors } from '../helpers/agreement.js'
import { placeInFolder } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { NotHere, type Scenario } from '../scenario.js'
import { countsOf } from './database_away.js'

const MEGABYTE = 1024 * 1024
const DISK = 24 * MEGABYTE
const FILLER = 16 * MEGABYTE
const MOST_WRITES = 5000

export const diskFull: Scenario = {
  name: 'disk',
  promise:
    'on a full disk writes are 503 and reads go on; with room again writes do, and nothing acknowledged is lost',
  databases: ['sqlite', 'better-sqlite3'],
  async run(kind) {
    const disk = mountDisk()
    let server: Server | undefined
    try {
      const place = placeInFolder(kind, disk.path)
      server = await Server.start(place.variables)
      const { call, close } = clientOf(server.origin, 4)
      const broken = new Set<string>()
      const counts: Record<number, number> = {}
      const created = new Set<number>()
      const write = async () => {
        const response = await call('POST', '/api/products', {
          name: 'Heavy',
          description: 'x'.repeat(5000),
          category: 'y',
          price: 1,
        })
        counts[response.status] = (counts[response.status] ?? 0) + 1
        if (response.status === 201) created.add(response.body.id)
        else if (response.status !== 503) {
          broken.add(`${response.status}: ${JSON.stringify(response.body)}`)
        } else if (!response.headers['retry-after']) broken.add('a 503 without Retry-After')
        return response.status
      }

      const filler = join(disk.path, 'filler')
      writeFileSync(filler, Buffer.alloc(FILLER))
      let written = 0
      while ((await write()) === 201 && ++written < MOST_WRITES);
      if (!counts[503]) broken.add(`the disk was not full after ${written} writes`)
      await Promise.all(Array.from({ length: 20 }, write))
      const read = await call('GET', '/api/products?limit=1')
      if (read.status !== 200) broken.add(`reading is ${read.status} meanwhile`)

      rmSync(filler)
      for (let i = 0; i < 20; i++) {
        const status = await write()
        if (status !== 201) broken.add(`writing is ${status} though there is room again`)
      }
      /* Killed rather than stopped, as only the content of the file counts. */
      await server.kill()
      await server.start()
      const items = await allProducts(call)
      for (const id of created) if (!items.has(id)) broken.add(`product ${id} is lost`)
      if (items.size !== created.size) {
        broken.add(`${items.size} products, though ${created.size} were acknowledged`)
      }
      for (const error of await disagreements(place, items)) broken.add(error)
      for (const error of await fileErrors(place)) broken.add(error)
      close()
      return {
        figures: `${countsOf(counts)} on a disk of ${DISK / MEGABYTE} MB`,
        broken: [...broken].slice(0, 10),
      }
    } finally {
      await server?.kill()
      disk.unmount()
    }
  },
}

/**
 * Mounts a disk in memory.
 *
 * @throws NotHere  if mounting is not permitted
 */
function mountDisk(): { path: string; unmount(): void } {
  const path = mkdtempSync(join(tmpdir(), 'atrium-disk-'))
  const run = (name: string, ...args: string[]) =>
    execFileSync(name, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', path)
  } catch {
    rmSync(path, { recursive: true })
    throw new NotHere('only root can make a small disk (mount -t tmpfs)')
  }
  return {
    path,
    unmount() {
      run('umount', '-l', path)
      rmSync(path, { recursive: true })
    },
  }
}
