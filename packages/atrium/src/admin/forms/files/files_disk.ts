import app from '@adonisjs/core/services/app'
import type { DriverContract } from '@adonisjs/drive/types'
import type { Secret } from '@adonisjs/core/helpers'
import type { AdminConfig } from '../../config/define_config.js'
import { PrivateFolder } from './private_folder.js'

let used: Promise<DriverContract> | undefined

/**
 * Returns the disk of uploaded files: `disk` of `config/admin.ts`, otherwise the folder `storageDirectory`. The driver
 * is used without Drive's `Disk`, which would remove the dot of `.owners` and reject model names that are not ASCII.
 * This is safe, as keys contain no client input.
 */
export function filesDisk(): Promise<DriverContract> {
  return (used ??= configuredDisk())
}

/**
 * Sets another disk for uploaded files.
 *
 * @param driver  driver of the disk; undefined for the configured one
 */
export function useFilesDisk(driver?: DriverContract): void {
  used = driver && Promise.resolve(driver)
}

async function configuredDisk(): Promise<DriverContract> {
  const { disk, storageDirectory } = app.config.get<AdminConfig>('admin')
  return disk ? await disk() : new PrivateFolder(storageDirectory)
}

/**
 * Returns the paths of the files below a folder of the disk; an empty list if there is no such folder. Drive removes a
 * dot before the name of the first folder, so this name is set again.
 */
export async function pathsOnDisk(folder: string): Promise<string[]> {
  const disk = await filesDisk()
  const [root] = folder.split('/')
  const paths: string[] = []
  let paginationToken: string | undefined
  do {
    let page
    try {
      page = await disk.listAll(folder, {
        recursive: true,
        ...(paginationToken && { paginationToken }),
      })
    } catch (error) {
      if (isMissing(error)) return paths
      throw error
    }
    for (const one of page.objects) if (one.isFile) paths.push(one.key.replace(/^[^/]*/, root))
    paginationToken = page.paginationToken
  } while (paginationToken)
  return paths
}

function isMissing(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code === 'ENOENT' || cause?.code === 'ENOENT'
}

interface S3Settings {
  bucket: string
  /** Default: us-east-1 */
  region?: string
  /** URL of a server other than AWS */
  endpoint?: string
  /** Without keys, the SDK uses the default AWS credentials, such as the role of the machine */
  accessKeyId?: string
  secretAccessKey?: Secret<string>
}

/**
 * Returns an S3 bucket for the option `disk` of `config/admin.ts`.
 *
 * @returns a function that creates the disk on first use; it throws if the S3 packages are not installed
 */
export function s3Disk({ bucket, region, endpoint, ...keys }: S3Settings) {
  return async (): Promise<DriverContract> => {
    const { S3Driver } = await import('@adonisjs/drive/drivers/s3')
    return new S3Driver({
      bucket,
      region: region ?? 'us-east-1',
      visibility: 'private',
      supportsACL: false,
      /* Timeouts in milliseconds; without them, an unresponsive server would block a request forever */
      requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
      ...credentialsOf(keys),
      ...(endpoint && optionsOfServer(endpoint)),
    })
  }
}

function credentialsOf({
  accessKeyId,
  secretAccessKey,
}: Pick<S3Settings, 'accessKeyId' | 'secretAccessKey'>) {
  if (!accessKeyId || !secretAccessKey) return {}
  return { credentials: { accessKeyId, secretAccessKey: secretAccessKey.release() } }
}

/** Options for servers other than AWS, which have the bucket in the path and may not support the newest checksums. */
function optionsOfServer(endpoint: string) {
  return {
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
}
