import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { engineFile } from '#base/engine_file'
import { type Command, CommandFailure } from '#crud/commands/command'

/**
 * Writes the files of stubs, all or none.
 *
 * @throws CommandFailure  in a build, or if one of the files exists
 */
export async function writeStubs(
  { app, logger }: Pick<Command, 'app' | 'logger'>,
  stubs: readonly string[],
  data: Record<string, unknown>
): Promise<void> {
  if (existsSync(app.makePath('adonisrc.js'))) {
    throw new CommandFailure(
      'This is a build of the application, and the command writes TypeScript. Run it where adonisrc.ts is, then build again'
    )
  }
  const known = await app.stubs.create()
  const files: Array<{ destination: string; contents: string }> = []
  for (const name of stubs) {
    const stub = await known.build(name, { source: engineFile('stubs') })
    files.push(await stub.prepare({ app, ...data }))
  }
  const present = files.find(({ destination }) => existsSync(destination))
  if (present) {
    throw new CommandFailure(
      `${app.relativePath(present.destination)} exists already; nothing has been written`
    )
  }
  for (const { destination, contents } of files) {
    await mkdir(dirname(destination), { recursive: true })
    await writeFile(destination, contents.trimStart(), { flag: 'wx' })
    logger.action(`create ${app.relativePath(destination)}`).succeeded()
  }
}
