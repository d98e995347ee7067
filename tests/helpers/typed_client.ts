/*
 * Types that openapi-typescript makes of the API schema, and programs that are compiled with them.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { resources } from '#crud'
import { buildDocument } from '#crud/openapi/document'

/* Below the project, so that a program finds the packages that it imports. */
const folder = app.makePath('tmp', `typed-client-${process.pid}`)

/**
 * Writes the types of a few models, as a compiler takes its time for the hundreds that the tests have.
 *
 * @param paths  of their endpoints
 * @returns what removes them, and all programs
 */
export async function writeTypes(paths: string[]): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const endpoints = resources.endpoints().filter(({ path }) => paths.includes(path))
  const info = { title: 'Test', version: '1' }
  const document = buildDocument(endpoints, app.config.get('crud'), info)
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(document as any)))
  return () => rm(folder, { recursive: true, force: true })
}

/**
 * @returns the path of the program's file
 */
export async function writeProgram(name: string, text: string): Promise<string> {
  const path = join(folder, `${name}.ts`)
  await writeFile(path, text)
  return path
}

/**
 * What the compiler says of a program, at its strictest.
 */
export function faultsOf(path: string): string[] {
  const program = ts.createProgram([path], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
