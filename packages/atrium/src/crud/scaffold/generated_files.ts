import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { ApplicationService } from '@adonisjs/core/types'
import { engineFile } from '#base/engine_file'
import { tidy } from './tidy.js'
import { ValueError } from '#base/errors'

interface GeneratedFile {
  path: string
  contents: string
}

/**
 * Renders stubs of `stubs/make/crud` and formats them with the project's Prettier settings, if Prettier is installed.
 *
 * @param wanted  names of stubs with their data
 */
export async function renderStubs(
  app: ApplicationService,
  wanted: ReadonlyArray<readonly [stub: string, data: object]>
): Promise<GeneratedFile[]> {
  const prettier = await import('prettier').catch(() => undefined)
  const stubs = await app.stubs.create()
  return await Promise.all(
    wanted.map(async ([name, data]): Promise<GeneratedFile> => {
      const stub = await stubs.build(`make/crud/${name}.stub`, { source: engineFile('stubs') })
      const { destination, contents } = await stub.prepare({ app, ...data })
      if (!prettier) return { path: destination, contents: tidy(contents) }
      const settings = await prettier.resolveConfig(destination)
      return {
        path: destination,
        contents: await prettier.format(contents, { ...settings, filepath: destination }),
      }
    })
  )
}

/**
 * Writes all files or none.
 *
 * @returns paths of the files, relative to the project's root
 * @throws ValueError  when one of them already exists or can't be written
 */
export async function writeFiles(
  app: ApplicationService,
  files: readonly GeneratedFile[]
): Promise<string[]> {
  await checkFiles(app, files)
  const written: string[] = []
  try {
    for (const { path, contents } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, contents, { flag: 'wx' })
      written.push(path)
    }
  } catch (error: any) {
    await Promise.all(written.map((path) => rm(path, { force: true })))
    throw new ValueError(
      `${app.relativePath(error.path ?? '')} can't be written (${error.code}); nothing has been`
    )
  }
  return files.map(({ path }) => app.relativePath(path))
}

async function checkFiles(app: ApplicationService, files: readonly GeneratedFile[]) {
  for (const { path } of files) {
    const there = await filesIn(dirname(path))
    /* Some file systems are case-insensitive. */
    const name = basename(path).toLowerCase()
    if (there.some((file) => file.toLowerCase() === name)) {
      throw new ValueError(`${app.relativePath(path)} is there already; nothing has been written`)
    }
  }
}

/** Returns the names in a folder; empty if the folder does not exist. */
export async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error: any) {
    if (error.code === 'ENOENT') return []
    throw new ValueError(`${folder} can't be read (${error.code}); nothing has been written`)
  }
}
