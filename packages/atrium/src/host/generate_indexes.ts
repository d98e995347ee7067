import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'

/** Folders whose files are listed in the indexes */
const SOURCES = ['app', 'inertia', 'resources']

/**
 * Writes the files of `#generated` with the `init` hooks of adonisrc.ts, like `node ace serve` and `node ace build`.
 * Does nothing in a build, which contains these files, and if the names of the sources and adonisrc.ts are the same as
 * when the files were written.
 *
 * @throws any error of a hook
 */
export async function generateIndexes(app: ApplicationService): Promise<void> {
  const hooks = app.rcFile.hooks
  if (!existsSync(app.makePath('adonisrc.ts')) || !hooks?.init?.length) return
  const stampFile = app.makePath('.adonisjs/stamp')
  const stamp = await stampOf(app)
  if ((await readFile(stampFile, 'utf8').catch(() => undefined)) === stamp) return

  const { CodeGen } = await import('@adonisjs/assembler')
  const codegen = new CodeGen(app.appRoot, { hooks })
  /* Writes the output to memory, so that nothing is printed */
  codegen.ui.switchMode('raw')
  await codegen.run()
  await mkdir(dirname(stampFile), { recursive: true })
  await writeFile(stampFile, stamp)
}

/** Returns a hash that changes with the names of the files, and with adonisrc.ts. */
async function stampOf(app: ApplicationService): Promise<string> {
  const hash = createHash('sha256').update(await readFile(app.makePath('adonisrc.ts')))
  for (const folder of SOURCES) {
    const files = await fsReadAll(app.makePath(folder), { ignoreMissingRoot: true })
    hash.update(`${folder}\n${files.join('\n')}\n`)
  }
  return hash.digest('hex')
}
