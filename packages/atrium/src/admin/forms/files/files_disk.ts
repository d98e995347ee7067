import app from '@adonisjs/core/services/app'
import type { DriverContract } from '@adonisjs/drive/types'
import type { Secret } from '@adonisjs/core/helpers'
import type { AdminConfig } from '../../config/define_config.js'
import { PrivateFolder } from './private_folder.js'

let used: Promise<DriverContract> | undefined

/**
 * The disk of uploaded files: `disk` of `config/admin.ts`, else the folder `storageDirectory`. A driver is used without
 * Drive's `Disk`, which would drop the dot of `.owners` and refuse names of models that are not ASCII; no part of a key
 * is a client's. [B17]
 */
export function filesDisk(): Promise<DriverContract> {
  return (used ??= configuredDisk())
}

/**
 * Keeps uploaded files on another disk.
 *
 * @param driver  undefined: the configured one
 */
export function useFilesDisk(driver?: DriverContract): void {
  used = driver && Promise.resolve(driver)
}

async function configuredDisk(): Promise<DriverContract> {
  const { disk, storageDirectory } = app.config.get<AdminConfig>('admin')
  return disk ? await disk() : new PrivateFolder(storageDirectory)
}

export interface S3Settings {
  bucket: string
  /** Default: us-east-1 */
  region?: string
  /** Address of a server other than AWS */
  endpoint?: string
  /** Without keys, the SDK looks for them where AWS has them, such as the role of a machine */
  accessKeyId?: string
  secretAccessKey?: Secret<string>
}

/**
 * A bucket of S3 as `disk` of `config/admin.ts`.
 *
 * @returns a function that creates the disk on its first use; it throws if the packages of S3 are not installed
 */
export function s3Disk({ bucket, region, endpoint, ...keys }: S3Settings) {
  return async (): Promise<DriverContract> => {
    const { S3Driver } = await import('@adonisjs/drive/drivers/s3')
    return new S3Driver({
      bucket,
      region: region ?? 'us-east-1',
      visibility: 'private',
      supportsACL: false,
      /* Milliseconds, without which a server that does not respond holds a request for ever */
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

/** Other servers than AWS have their buckets in the path, and may not know its newest checksums. */
function optionsOfServer(endpoint: string) {
  return {
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
}
