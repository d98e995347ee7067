import { basename } from 'node:path'
import type { filesDisk } from './files_disk.js'

/**
 * The names of the files in a folder of the disk; none if there is no such folder.
 */
export async function namesOnDisk(
  disk: Awaited<ReturnType<typeof filesDisk>>,
  folder: string
): Promise<string[]> {
  const names: string[] = []
  let paginationToken: string | undefined
  do {
    let page
    try {
      page = await disk.listAll(folder, paginationToken ? { paginationToken } : {})
    } catch (error) {
      if (isMissing(error)) return names
      throw error
    }
    for (const one of page.objects) if (one.isFile) names.push(basename(one.key))
    paginationToken = page.paginationToken
  } while (paginationToken)
  return names
}

function isMissing(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code === 'ENOENT' || cause?.code === 'ENOENT'
}
